//! Matrices for other programs: MATLAB's file of level 4, and NumPy's archive.

use super::{Analysis, Linearization};
use ordinate_control::Matrix;

/// What is written under a name.
enum Item<'a> {
    Numbers(&'a Matrix),
    Names(&'a [String]),
}

/// A, B, C, D, G, Dg, the names and what was asked for, by the names they have in the files. A sampled system is Fd, Gd,
/// Hd, Id, for G disturbs already.
fn items<'a>(linear: &'a Linearization, analysis: &'a Analysis, period: &'a Matrix) -> Vec<(&'static str, Item<'a>)> {
    let system = &linear.system;
    let mut items = vec![
        ("A", Item::Numbers(&system.a)),
        ("B", Item::Numbers(&system.b)),
        ("C", Item::Numbers(&system.c)),
        ("D", Item::Numbers(&system.d)),
        ("G", Item::Numbers(&linear.g)),
        ("Dg", Item::Numbers(&linear.dg)),
        ("states", Item::Names(&linear.states)),
        ("inputs", Item::Names(&linear.inputs)),
        ("disturbances", Item::Names(&linear.disturbances)),
        ("outputs", Item::Names(&linear.outputs)),
    ];
    if let Some((reached, shown)) = &analysis.gramians {
        items.extend([("Wc", Item::Numbers(reached)), ("Wo", Item::Numbers(shown))]);
    }
    if let Some((sampled, _)) = &analysis.sampled {
        items.extend([("Fd", Item::Numbers(&sampled.a)), ("Gd", Item::Numbers(&sampled.b))]);
        items.extend([("Hd", Item::Numbers(&sampled.c)), ("Id", Item::Numbers(&sampled.d))]);
        items.push(("Ts", Item::Numbers(period)));
    }
    items
}

fn period(analysis: &Analysis) -> Matrix {
    let period = analysis.sampled.as_ref().and_then(|(sampled, _)| sampled.period);
    Matrix::from_elements(1, 1, vec![period.unwrap_or(f64::NAN)])
}

/// A MAT-file of level 4 (MathWorks, MAT-File Format, chapter 2): for each matrix five integers, its name, its elements by
/// columns.
pub fn linearize_mat(linear: &Linearization, analysis: &Analysis) -> Vec<u8> {
    /// Little-endian doubles, a full matrix; and one of characters.
    const NUMBERS: u32 = 0;
    const CHARACTERS: u32 = 1;
    let mut file = Vec::new();
    let mut put = |name: &str, kind: u32, rows: usize, columns: usize, element: &dyn Fn(usize, usize) -> f64| {
        for integer in [kind, rows as u32, columns as u32, 0, name.len() as u32 + 1] {
            file.extend(integer.to_le_bytes());
        }
        file.extend(name.as_bytes());
        file.push(0);
        for j in 0..columns {
            (0..rows).for_each(|i| file.extend(element(i, j).to_le_bytes()));
        }
    };
    for (name, item) in items(linear, analysis, &period(analysis)) {
        match item {
            Item::Numbers(matrix) => put(name, NUMBERS, matrix.rows(), matrix.columns(), &|i, j| matrix.at(i, j)),
            Item::Names(names) => {
                // rows of equal length, filled up with spaces; readers take a character for a byte
                let rows: Vec<Vec<char>> = names.iter().map(|name| name.chars().collect()).collect();
                let width = rows.iter().map(Vec::len).max().unwrap_or(0);
                let code = |i: usize, j: usize| match rows[i].get(j).map_or(u32::from(' '), |&c| u32::from(c)) {
                    code if code < 256 => f64::from(code),
                    _ => f64::from(b'?'),
                };
                put(name, CHARACTERS, rows.len(), width, &code);
            }
        }
    }
    file
}

/// A NumPy archive: a ZIP file without compression of arrays in the format of version 1.0 (NumPy, numpy.lib.format).
pub fn linearize_npz(linear: &Linearization, analysis: &Analysis) -> Vec<u8> {
    let period = period(analysis);
    let files = items(linear, analysis, &period).into_iter().map(|(name, item)| {
        let bytes = match item {
            Item::Numbers(matrix) => {
                let data = matrix.elements().iter().flat_map(|value| value.to_le_bytes());
                npy("<f8", &format!("({}, {})", matrix.rows(), matrix.columns()), data.collect())
            }
            Item::Names(names) => {
                let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(1);
                let padded =
                    |name: &String| name.chars().chain(std::iter::repeat('\0')).take(width).collect::<Vec<_>>();
                let data = names.iter().flat_map(padded).flat_map(|c| u32::from(c).to_le_bytes());
                npy(&format!("<U{width}"), &format!("({},)", names.len()), data.collect())
            }
        };
        (format!("{name}.npy"), bytes)
    });
    zip(&files.collect::<Vec<_>>())
}

fn npy(kind: &str, shape: &str, data: Vec<u8>) -> Vec<u8> {
    let mut header = format!("{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}");
    // magic, version and length take ten bytes; all of it a multiple of 64, and a newline at the end
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

/// Stored files, then the directory, then its end (PKWARE, APPNOTE.TXT, sections 4.3.7, 4.3.12, 4.3.16).
fn zip(files: &[(String, Vec<u8>)]) -> Vec<u8> {
    /// 1 January 1980: the same input always gives the same bytes.
    const DATE: u16 = 0x21;
    let mut archive = Vec::new();
    let mut directory = Vec::new();
    let words = |list: &[u16]| list.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>();
    for (name, bytes) in files {
        let offset = archive.len() as u32;
        // version 2.0, no flags, stored, time, date
        let mut common = words(&[20, 0, 0, 0, DATE]);
        for integer in [crc32(bytes), bytes.len() as u32, bytes.len() as u32] {
            common.extend(integer.to_le_bytes());
        }
        common.extend(words(&[name.len() as u16, 0]));
        archive.extend(0x0403_4b50u32.to_le_bytes());
        archive.extend(&common);
        archive.extend(name.as_bytes());
        archive.extend(bytes);
        directory.extend(0x0201_4b50u32.to_le_bytes());
        directory.extend(words(&[20]));
        directory.extend(&common);
        // no comment, first disk, attributes
        directory.extend(words(&[0, 0, 0, 0, 0]));
        directory.extend(offset.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let (size, start) = (directory.len() as u32, archive.len() as u32);
    archive.extend(directory);
    archive.extend(0x0605_4b50u32.to_le_bytes());
    archive.extend(words(&[0, 0, files.len() as u16, files.len() as u16]));
    archive.extend(size.to_le_bytes());
    archive.extend(start.to_le_bytes());
    archive.extend(words(&[0]));
    archive
}

/// The checksum of ZIP, bit by bit: the files are small.
fn crc32(bytes: &[u8]) -> u32 {
    let mut crc = u32::MAX;
    for &byte in bytes {
        crc ^= u32::from(byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    !crc
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value that every description of this checksum gives.
    #[test]
    fn the_checksum_is_that_of_zip() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
    }

    #[test]
    fn the_header_of_an_array_is_aligned() {
        let file = npy("<f8", "(2, 3)", vec![0; 48]);
        assert_eq!((file.len() - 48) % 64, 0);
        assert_eq!(file[file.len() - 49], b'\n');
    }
}
