// Builds the library into dist/ and, with the two pages, into the Python package, which ships them: installing that needs no Node.
// With --check nothing is written; files of the package that are not what the sources give are named, and the exit code is 1.
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { minify } from "terser";

const STATIC = new URL("../../src/sottovoce/collector/static/", import.meta.url);
const DIST = new URL("dist/", import.meta.url);
const LIMIT = 10_000; // bytes of the library, minified and gzipped

async function bundled(entry, options = {}) {
  const { outputFiles } = await build({
    entryPoints: [entry],
    absWorkingDir: new URL(".", import.meta.url).pathname,
    bundle: true,
    minify: true,
    format: "esm",
    target: ["es2022"],
    charset: "utf8",
    legalComments: "none",
    logLevel: "warning",
    write: false,
    ...options,
  });
  return outputFiles[0].text;
}

const library = await bundled("src/index.ts");
const { code } = await minify(library, { module: true, ecma: 2022, compress: { passes: 5, unsafe_arrows: true } });
const size = gzipSync(code, { level: 9 }).length;
if (size >= LIMIT) throw new Error(`the library has ${size} bytes, minified and gzipped; it must stay below ${LIMIT}`);

const made = {
  "sottovoce.js": `${code}\n`,
  "survey.js": await bundled("pages/survey/main.ts"),
  "dashboard.js": await bundled("pages/dashboard/main.ts", { external: ["./charts.js"] }),
  "charts.js": await bundled("pages/dashboard/charts.ts"),
  "survey.css": await bundled("pages/survey/survey.css"),
  "dashboard.css": await bundled("pages/dashboard/dashboard.css"),
};

if (process.argv.includes("--check")) {
  const stale = [];
  for (const [name, text] of Object.entries(made)) {
    const found = await readFile(new URL(name, STATIC), "utf8").catch(() => "");
    if (found !== text) stale.push(name);
  }
  if (stale.length) {
    console.error(`the package holds other files than the sources give: ${stale.join(", ")}; run: make pages`);
    process.exit(1);
  }
} else {
  await rm(DIST, { recursive: true, force: true });
  for (const folder of [DIST, STATIC]) await mkdir(folder, { recursive: true });
  await writeFile(new URL("sottovoce.js", DIST), made["sottovoce.js"]);
  for (const [name, text] of Object.entries(made)) await writeFile(new URL(name, STATIC), text);
}
console.log(`sottovoce.js: ${size} bytes minified and gzipped`);
