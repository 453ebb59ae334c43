// Starts the page. A file of its own, because the policy allows no inline script.

import { load } from "./unpack.js";

const boot = document.getElementById("boot");

// Only what went wrong; text, never markup.
function explain(error) {
  const lines = {
    en: "ShardMem could not start. It needs a browser with WebAssembly, and a server that sends all of its files. Reload to try again.",
    "zh-CN": "ShardMem 无法启动：需要支持 WebAssembly 的浏览器，且服务器能提供全部文件。请刷新重试。",
  };
  const paragraphs = Object.entries(lines).map(([language, text]) => paragraph(text, language));
  boot.replaceChildren(...paragraphs, paragraph(String(error?.message ?? error), "en"));
  boot.setAttribute("role", "alert");
}

function paragraph(text, language) {
  const element = document.createElement("p");
  element.lang = language;
  element.textContent = text;
  return element;
}

try {
  const { js, wasm } = document.querySelector("script[data-wasm]").dataset;
  const [{ default: start }, module_or_path] = await Promise.all([
    import(new URL(js, import.meta.url)),
    load(new URL(wasm, import.meta.url)),
  ]);
  // The page takes the text away when it stands: a link may have to be read first.
  await start({ module_or_path });
} catch (error) {
  explain(error);
  throw error;
}
