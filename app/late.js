// Brings the late part of the page, into the memory and the table of the first. `cargo xtask build` lays this into the script
// that wasm-bindgen wrote, where `wasm` is what the module exports; xtask/src/pack/cut.rs gives the file's name.

import { load } from "./unpack.js";

const LATE = {
  async __wasm_split_load_late(arrived, waiting) {
    let isHere = 0;
    try {
      await WebAssembly.instantiate(await load(new URL("./late.wasm", import.meta.url)), { __wasm_split: wasm });
      isHere = 1;
    } catch (error) {
      console.error(error);
    }
    wasm.__indirect_function_table.get(arrived)(waiting, isHere);
  },
};
