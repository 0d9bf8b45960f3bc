// The fonts that the tests measure by, from npm: what a machine has installed decides nothing. DejaVu Sans is Debian's usual
// font and a wide one; the other two have every letter of the Korean and the Japanese texts.
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(import.meta.url);
const packages = {
  "dejavu-fonts-ttf": ["ttf/DejaVuSans.ttf", "ttf/DejaVuSans-Bold.ttf", "ttf/DejaVuSansMono.ttf"],
  "@expo-google-fonts/nanum-gothic": ["400Regular/NanumGothic_400Regular.ttf", "700Bold/NanumGothic_700Bold.ttf"],
  "@expo-google-fonts/sawarabi-gothic": ["400Regular/SawarabiGothic_400Regular.ttf"],
};
const packaged = Object.entries(packages).flatMap(([name, files]) =>
  files.map(file => path.join(path.dirname(require.resolve(`${name}/package.json`)), file)));
export const families = { latin: "DejaVu Sans", korean: "NanumGothic", japanese: "Sawarabi Gothic" };

const inFolder = folder => readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter(entry => entry.isFile() && /\.(ttf|otf|ttc)$/.test(entry.name))
  .map(entry => path.join(entry.parentPath ?? entry.path, entry.name));

// Writes into `folder` a configuration of fontconfig that knows these files and nothing else. Returns its path.
export function writeFontConfig(folder, files = process.env.ANTEROOM_FONTS ? inFolder(process.env.ANTEROOM_FONTS) : packaged) {
  const fonts = path.join(folder, "fonts");
  mkdirSync(fonts);
  for (const [i, file] of files.entries()) symlinkSync(file, path.join(fonts, `${i}-${path.basename(file)}`));
  // Chromium has no font for system-ui of its own: fontconfig says which, also where a desktop's setting is asked for.
  const alias = (generic, family) => `<alias binding="same"><family>${generic}</family><prefer><family>${family}</family></prefer></alias>`;
  const config = path.join(folder, "fonts.conf");
  writeFileSync(config, `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
<dir>${fonts}</dir>
<cachedir>${path.join(folder, "font-cache")}</cachedir>
${["system-ui", "sans-serif", "sans"].map(generic => alias(generic, families.latin)).join("\n")}
${alias("monospace", "DejaVu Sans Mono")}
<match target="pattern"><edit name="family" mode="append_last"><string>${families.latin}</string></edit></match>
</fontconfig>
`);
  return config;
}
