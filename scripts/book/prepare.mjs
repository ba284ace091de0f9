// Prepares the pages of docs/SUMMARY.md for mdBook: prepare.mjs REPOSITORY OUT
//
// Pages of docs/ go to the root of OUT, pages of other folders to `repository/`. Formulas become
// HTML by KaTeX, whose package lies next to this script. Its style and fonts go into the book, so
// that it needs no network to be read. A link to a file that is not a page of the book
// becomes the path of this file.
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import katex from "katex";

const [repository, out] = process.argv.slice(2).map((folder) => path.resolve(folder));
const docs = path.join(repository, "docs");
const LINK = /(!?)\[((?:[^\][]|\[[^\]]*\])*)\]\(([^)\s]+)\)/g;
const FENCE = /^ *```.*?^ *```$/gms;
const SPAN = /`[^`]*`/g;
const DISPLAY = /\$\$(.+?)\$\$/gs;
const INLINE = /\$([^$\s](?:[^$]*[^$\s])?)\$/g;

/** Returns the place of a file of the repository in the book. */
function inBook(file) {
  const name = path.relative(repository, file);
  const place = name.startsWith("docs/") ? name.slice("docs/".length) : `repository/${name}`;
  return place.replace(/(?<=^|\/)README\.md$/, "index.md");
}

/** Draws a formula; Markdown must not read anything in the result. */
function html(formula, displayMode) {
  const drawn = katex.renderToString(formula, { displayMode, strict: "error" });
  return drawn.replace(/[*_|\\`[\]~\n]/g, (special) => `&#${special.charCodeAt(0)};`);
}

/** Returns a page with its links rewritten and its formulas drawn. */
function page(file) {
  const kept = [];
  // Puts a mark in place of text that is finished.
  const keep = (text) => `\0${kept.push(text) - 1}\0`;
  const link = (all, picture, text, target) => {
    if (/^([a-z]+:|#)/.test(target)) return all;
    const [name, section] = target.split("#");
    const to = path.resolve(path.dirname(file), name);
    if (picture) pictures.add(to);
    else if (!pages.has(to)) {
      return text.includes("`") ? text : `${text} (\`${path.relative(repository, to)}\`)`;
    }
    const place = path.relative(path.dirname(inBook(file)), inBook(to));
    return `${picture}[${text}](${place}${section ? `#${section}` : ""})`;
  };
  let text = readFileSync(file, "utf8")
    .replace(FENCE, (code) => keep(code))
    .replace(LINK, link)
    .replace(SPAN, (code) => keep(code))
    .replace(DISPLAY, (_, formula) => keep(`<div>${html(formula, true)}</div>`))
    .replace(INLINE, (_, formula) => keep(html(formula, false)));
  while (text.includes("\0")) text = text.replace(/\0(\d+)\0/g, (_, number) => kept[number]);
  return text;
}

function write(place, text) {
  mkdirSync(path.dirname(path.join(out, place)), { recursive: true });
  writeFileSync(path.join(out, place), text);
}

rmSync(out, { recursive: true, force: true });
const summary = readFileSync(path.join(docs, "SUMMARY.md"), "utf8");
const pages = new Set([...summary.matchAll(LINK)].map((link) => path.resolve(docs, link[3])));
const pictures = new Set();
const place = (_, picture, text, target) => `[${text}](${inBook(path.resolve(docs, target))})`;
write("SUMMARY.md", summary.replace(LINK, place));
for (const file of pages) {
  try {
    write(inBook(file), page(file));
  } catch (error) {
    console.error(`${path.relative(repository, file)}: ${error.message}`);
    process.exit(1);
  }
}
for (const picture of pictures) cpSync(picture, path.join(out, inBook(picture)));
const style = fileURLToPath(new URL("node_modules/katex/dist", import.meta.url));
const filter = (name) => !/\.(ttf|woff)$/.test(name);
cpSync(path.join(style, "fonts"), path.join(out, "katex/fonts"), { recursive: true, filter });
cpSync(path.join(style, "katex.min.css"), path.join(out, "katex/katex.min.css"));
cpSync(path.join(repository, "scripts/book/book.css"), path.join(out, "book.css"));
console.log(`${pages.size} pages, ${pictures.size} pictures`);
