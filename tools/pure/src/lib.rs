//! The core as a static library without the standard library: clock, disk, network and threads do
//! not exist in it.
//!
//! A program has one panic handler. This library brings its own, and so does `std`: if any crate
//! that `rules`, `table` or `tournament` rests on uses `std`, the build fails with E0152.
#![no_std]

use core::alloc::{GlobalAlloc, Layout};
use core::panic::PanicInfo;

use {rules as _, table as _, tournament as _};

/// There is no memory to be had: the library is built and never run.
struct NoMemory;

// SAFETY: a null pointer says that there is no memory, and what was never given is never freed.
unsafe impl GlobalAlloc for NoMemory {
    unsafe fn alloc(&self, _: Layout) -> *mut u8 {
        core::ptr::null_mut()
    }

    unsafe fn dealloc(&self, _: *mut u8, _: Layout) {}
}

#[global_allocator]
static ALLOCATOR: NoMemory = NoMemory;

#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    loop {
        core::hint::spin_loop();
    }
}
