//! Sample figures, written as SVG, PNG and terminal text into the folder given as argument.

#[path = "../tests/samples/mod.rs"]
mod samples;

use std::path::Path;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args().nth(1).ok_or("usage: gallery FOLDER")?;
    std::fs::create_dir_all(&folder)?;
    for (name, figure) in samples::all() {
        let path = Path::new(&folder).join(name);
        std::fs::write(path.with_extension("svg"), figure.to_svg())?;
        std::fs::write(path.with_extension("png"), figure.to_png()?)?;
        std::fs::write(path.with_extension("txt"), figure.to_terminal(100, 30, false))?;
        println!("{name}\n{}", figure.to_terminal(80, 24, true));
    }
    Ok(())
}
