//! A small static server for this machine: the built page under a path of choice, with its policy as a header too.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::{Outcome, sizes};

const PATIENCE: Duration = Duration::from_secs(20);
const LONGEST_REQUEST: u64 = 64 * 1024;

/// A folder, and the path under which it is served: `/` or `/some/where/`.
pub(crate) struct Site {
    pub(crate) folder: PathBuf,
    pub(crate) base: &'static str,
    /// Files as they are sent compressed to whom takes that.
    compressed: BTreeMap<PathBuf, Vec<u8>>,
}

/// What is sent back.
struct Answer {
    status: &'static str,
    kind: &'static str,
    is_compressed: bool,
    /// The policy that an HTML file states for itself, or where to go instead.
    header: Option<(&'static str, String)>,
    body: Vec<u8>,
}

/// Takes a port of this machine; 0 takes any free one.
pub(crate) fn listen(port: u16) -> Outcome<TcpListener> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, port)).map_err(|error| format!("cannot listen on port {port}: {error}"))
}

/// Where a browser finds the site.
pub(crate) fn address(listener: &TcpListener, site: &Site) -> Outcome<String> {
    let port = listener.local_addr().map_err(|error| format!("the server has no address: {error}"))?.port();
    Ok(format!("http://localhost:{port}{}", site.base))
}

/// Serves in the background as long as this process lives.
pub(crate) fn start(listener: TcpListener, site: Site) {
    let site = Arc::new(site);
    thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            let site = Arc::clone(&site);
            // A browser that goes away in the middle is no concern of the others.
            thread::spawn(move || converse(&stream, &site));
        }
    });
}

fn converse(stream: &TcpStream, site: &Site) -> std::io::Result<()> {
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut reader = BufReader::new(stream.take(LONGEST_REQUEST));
    let mut request = String::new();
    reader.read_line(&mut request)?;
    let mut line = String::new();
    let mut takes_brotli = false;
    while reader.read_line(&mut line)? > 2 {
        let header = line.to_ascii_lowercase();
        takes_brotli |= header.starts_with("accept-encoding:") && header.contains("br");
        line.clear();
    }
    let mut words = request.split_whitespace();
    let (method, target) = (words.next().unwrap_or(""), words.next().unwrap_or(""));
    let answer = match method {
        "GET" | "HEAD" => site.answer(target, takes_brotli),
        _ => Answer::text("405 Method Not Allowed", "only GET and HEAD are understood"),
    };
    answer.send(stream, method != "HEAD")
}

impl Site {
    /// A site that sends files as they are.
    pub(crate) fn new(folder: impl Into<PathBuf>, base: &'static str) -> Self {
        Self { folder: folder.into(), base, compressed: BTreeMap::new() }
    }

    /// The site, sending what it holds now compressed, as hosts do.
    pub(crate) fn compressing(mut self) -> Outcome<Self> {
        for file in sizes::files_below(&self.folder)? {
            let content = fs::read(&file).and_then(|content| sizes::compressed(&content));
            let content = content.map_err(|error| format!("cannot compress {}: {error}", file.display()))?;
            self.compressed.insert(file, content);
        }
        Ok(self)
    }

    fn answer(&self, target: &str, takes_brotli: bool) -> Answer {
        let path = target.split(['?', '#']).next().unwrap_or("");
        if path.len() + 1 == self.base.len() && self.base.starts_with(path) {
            return Answer {
                header: Some(("Location", self.base.to_owned())),
                ..Answer::text("301 Moved Permanently", "")
            };
        }
        let Some(file) = path.strip_prefix(self.base).and_then(|inside| self.file(inside)) else {
            return Answer::text("404 Not Found", "there is nothing here");
        };
        match fs::read(&file) {
            Ok(body) => {
                let answer = Answer::file(&file, body);
                match self.compressed.get(&file).filter(|_| takes_brotli) {
                    Some(compressed) => Answer { is_compressed: true, body: compressed.clone(), ..answer },
                    None => answer,
                }
            }
            Err(_) => Answer::text("404 Not Found", "there is nothing here"),
        }
    }

    /// The file that a path inside the site names; none where it would leave the folder. Names that need decoding are
    /// not ours.
    fn file(&self, inside: &str) -> Option<PathBuf> {
        let mut file = self.folder.clone();
        for part in inside.split('/') {
            if part == ".." || part.contains(['\\', '%']) {
                return None;
            }
            file.push(part);
        }
        Some(if file.is_dir() { file.join("index.html") } else { file })
    }
}

impl Answer {
    fn text(status: &'static str, text: &str) -> Self {
        Self {
            status,
            kind: "text/plain; charset=utf-8",
            is_compressed: false,
            header: None,
            body: text.as_bytes().to_vec(),
        }
    }

    fn file(file: &Path, body: Vec<u8>) -> Self {
        let kind = kind(file);
        let policy = if kind.starts_with("text/html") { policy(&String::from_utf8_lossy(&body)) } else { None };
        let header = policy.map(|policy| ("Content-Security-Policy", policy));
        Self { status: "200 OK", kind, is_compressed: false, header, body }
    }

    fn send(&self, mut stream: &TcpStream, with_body: bool) -> std::io::Result<()> {
        let mut head = format!("HTTP/1.1 {}\r\nContent-Type: {}\r\n", self.status, self.kind).into_bytes();
        write!(head, "Content-Length: {}\r\nConnection: close\r\n", self.body.len())?;
        head.extend(b"Cache-Control: no-cache\r\nX-Content-Type-Options: nosniff\r\n");
        if let Some((name, value)) = &self.header {
            write!(head, "{name}: {value}\r\n")?;
        }
        if self.is_compressed {
            head.extend(b"Content-Encoding: br\r\n");
        }
        head.extend(b"\r\n");
        stream.write_all(&head)?;
        if with_body { stream.write_all(&self.body) } else { Ok(()) }
    }
}

/// The policy that a page states in its `<meta http-equiv="Content-Security-Policy">`.
pub(crate) fn policy(html: &str) -> Option<String> {
    let tag = html
        .split("<meta")
        .find(|tag| tag.split('>').next().is_some_and(|tag| tag.contains("Content-Security-Policy")))?;
    let (_, value) = tag.split_once("content=\"")?;
    value.split('"').next().map(str::to_owned)
}

fn kind(file: &Path) -> &'static str {
    match file.extension().and_then(|extension| extension.to_str()).unwrap_or("") {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "json" | "map" => "application/json",
        "wasm" => "application/wasm",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        "txt" | "ts" | "md" | "yaml" => "text/plain; charset=utf-8",
        _ => "application/octet-stream",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn site() -> Site {
        Site::new("dist", "/internal/tools/")
    }

    #[test]
    fn a_path_stays_inside_the_folder() {
        assert_eq!(site().file("a/b.js"), Some(PathBuf::from("dist/a/b.js")));
        assert_eq!(site().file("../secret"), None);
        assert_eq!(site().file("%2e%2e/secret"), None);
        assert_eq!(site().answer("/elsewhere", true).status, "404 Not Found");
        assert_eq!(site().file("//etc/passwd"), Some(PathBuf::from("dist/etc/passwd")));
    }

    #[test]
    fn the_missing_slash_is_added() {
        let answer = site().answer("/internal/tools?embed", false);
        assert_eq!(
            (answer.status, answer.header),
            ("301 Moved Permanently", Some(("Location", "/internal/tools/".to_owned())))
        );
    }

    #[test]
    fn the_policy_is_read_from_the_page() {
        let html = r#"<meta charset=utf-8><meta content="default-src 'none'" http-equiv=Content-Security-Policy><p>"#;
        assert_eq!(policy(html).as_deref(), Some("default-src 'none'"));
        assert_eq!(policy("<meta charset=utf-8>"), None);
    }
}
