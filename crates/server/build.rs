//! Makes the folder of the page, so that the program can be built without it.

fn main() {
    let folder = std::path::Path::new("../../web/dist");
    // Where it cannot be made, the compiler says so.
    let _ = std::fs::create_dir_all(folder);
    println!("cargo:rerun-if-changed=../../web/dist");
}
