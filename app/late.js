// Brings the late part of the page, into the memory and the table of the first, and its styles. `cargo xtask build` lays this
// into the script that wasm-bindgen wrote, where `wasm` is what the module exports; xtask/src/pack/cut.rs gives the files' names.

import { load } from "./unpack.js";

// Nothing of the late part is drawn before its styles are here; they come once.
let styles;
function dress(href) {
  styles ??= new Promise((dressed, failed) => {
    const link = document.createElement("link");
    Object.assign(link, { rel: "stylesheet", href, onload: dressed });
    link.onerror = () => {
      styles = link.remove();
      failed(new Error(`${href} did not come`));
    };
    document.head.append(link);
  });
  return styles;
}

const LATE = {
  async __wasm_split_load_late(arrived, waiting) {
    let isHere = 0;
    try {
      const [module] = await Promise.all([
        load(new URL("./late.wasm", import.meta.url)),
        dress(new URL("./late.css", import.meta.url)),
      ]);
      await WebAssembly.instantiate(module, { __wasm_split: wasm });
      isHere = 1;
    } catch (error) {
      console.error(error);
    }
    wasm.__indirect_function_table.get(arrived)(waiting, isHere);
  },
};
