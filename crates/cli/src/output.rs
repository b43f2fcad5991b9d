//! Files of results. Each is written under a temporary name and renamed when it is complete, so that no
//! half-written result ever stands under the final name.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// A file in the making.
pub struct AtomicFile {
    out: BufWriter<File>,
    /// Temporary and final name; `None` for a device or pipe, which is written directly.
    rename: Option<(PathBuf, PathBuf)>,
}

fn plain(e: &io::Error) -> String {
    match e.kind() {
        io::ErrorKind::NotFound => "there is no such folder".into(),
        io::ErrorKind::PermissionDenied => "permission denied".into(),
        io::ErrorKind::IsADirectory => "it is a folder".into(),
        io::ErrorKind::StorageFull => "the disk is full".into(),
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only".into(),
        _ => e.to_string(),
    }
}

/// Why a file cannot be written, with its name.
pub fn cannot_write(path: &str, e: &io::Error) -> String {
    format!("`{path}` cannot be written: {}", plain(e))
}

impl AtomicFile {
    /// Begins a file.
    pub fn create(path: &str) -> Result<AtomicFile, String> {
        let target = Path::new(path);
        let special = fs::metadata(target).is_ok_and(|m| !m.is_file());
        if special {
            let file = File::options().write(true).open(target).map_err(|e| cannot_write(path, &e))?;
            return Ok(AtomicFile { out: BufWriter::new(file), rename: None });
        }
        if fs::metadata(target).is_ok_and(|m| m.permissions().readonly()) {
            return Err(format!("`{path}` cannot be written: it is write-protected"));
        }
        let name = target.file_name().ok_or_else(|| format!("`{path}` is not the name of a file"))?;
        let hidden = format!(".{}.{}.part", name.to_string_lossy(), std::process::id());
        let temporary = target.with_file_name(hidden);
        let file = File::create(&temporary).map_err(|e| cannot_write(path, &e))?;
        Ok(AtomicFile { out: BufWriter::with_capacity(1 << 16, file), rename: Some((temporary, target.into())) })
    }

    /// Completes the file under its final name.
    pub fn commit(mut self) -> io::Result<()> {
        self.out.flush()?;
        if let Some((temporary, target)) = self.rename.take()
            && let Err(e) = fs::rename(&temporary, &target)
        {
            let _ = fs::remove_file(&temporary);
            return Err(e);
        }
        Ok(())
    }
}

impl Write for AtomicFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl Drop for AtomicFile {
    fn drop(&mut self) {
        if let Some((temporary, _)) = &self.rename {
            let _ = fs::remove_file(temporary);
        }
    }
}

/// A whole file at once.
pub fn write_file(path: &str, bytes: &[u8]) -> Result<(), String> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(bytes).and_then(|()| file.commit()).map_err(|e| cannot_write(path, &e))
}
