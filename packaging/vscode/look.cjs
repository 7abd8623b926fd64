// Uses the extension in a browser as a person would; try.sh starts what it needs.  Ends with 1 and a
// picture where something does not appear.

const { execFileSync } = require("node:child_process");
const { writeFileSync } = require("node:fs");
const { join } = require("node:path");
const { chromium } = require("playwright-core");

const [address, executablePath, dir, ...program] = process.argv.slice(2);
const PATIENCE = 120_000; // ms; the slowest is the first count on a busy machine

function setCommand(command) {
  const settings = { "shaderlab.command": command, "shaderlab.device": "llvmpipe" };
  writeFileSync(join(dir, "data/Machine/settings.json"), JSON.stringify(settings));
}

async function use(page) {
  const texts = async (selector) =>
    (await page.locator(selector).allTextContents()).map((text) => text.replace(/\u00a0/g, " "));
  const picture = (name) => page.screenshot({ path: join(dir, "pictures", `${name}.png`) });

  // Waits until one of the texts at SELECTOR matches, and prints it; ASK is repeated meanwhile.
  async function shows(what, selector, pattern, ask = async () => {}) {
    const until = Date.now() + PATIENCE;
    while (Date.now() < until) {
      const found = (await texts(selector)).find((text) => pattern.test(text));
      if (found !== undefined) {
        console.log(`${what}: ${found.replace(/\s+/g, " ").trim()}`);
        return;
      }
      await ask();
      await page.waitForTimeout(500);
    }
    throw new Error(`${what}: nothing at ${selector} matches ${pattern}`);
  }
  async function goTo(place) {
    await page.keyboard.press("Control+G");
    await page.locator(".quick-input-widget input").first().fill(`:${place}`);
    await page.keyboard.press("Enter");
  }
  const lens = ".codelens-decoration";

  await page.goto(`${address}/?folder=${join(dir, "shaders")}`);
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "julia.frag" }).dblclick();
  await shows("lens", lens, /GeForce RTX 3060 .*s/);
  await shows("shares", ".view-line", /float squared = dot\(z, z\);.*%/);

  await page.locator(".view-line", { hasText: "float squared" }).locator("span span").nth(2).hover();
  await shows("hover", ".monaco-hover", /Line 16 ran .* times[^]*GeForce RTX 3060[^]*median/);
  await picture("hover");
  await page.mouse.move(5, 5);

  await goTo("14:25");
  for (let i = 0; i < 3; i++) await page.keyboard.press("Shift+ArrowRight");
  await page.keyboard.type("220");
  await shows("change", lens, /GeForce RTX 3060 .*\+\d+ ?%/);
  await picture("change");

  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("ring = smooths");
  // VS Code closes the list when it draws the lenses again.
  await shows("completion", ".suggest-widget .monaco-list-row", /smoothstep/, async () => {
    if (!(await page.locator(".suggest-widget.visible").count())) {
      await page.keyboard.press("Control+Space");
    }
  });
  await picture("completion");
  await page.keyboard.press("Escape");
  await page.keyboard.type(";");
  await page.locator(".squiggly-error").first().waitFor({ timeout: PATIENCE });
  await page.keyboard.press("Control+Shift+M");
  await shows("problem", ".markers-panel .monaco-list-row", /smooths/);
  await picture("problem");
  await page.keyboard.press("Control+Shift+M");
  await page.keyboard.press("Control+1"); // back to the text
  await page.keyboard.press("Control+Shift+K");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached", timeout: PATIENCE });

  // A new setting starts the server again; one that names nothing is said.
  setCommand([join(dir, "missing")]);
  await shows("not started", ".notification-list-item", /did not start/);
  await picture("not-started");
  setCommand(program);
  // The old server's lens has a change in it; the new one knows no saved version.
  await shows("lens again", lens, /GeForce RTX 3060 [\d.]+ .s \|/);
}

async function main() {
  program[0] = execFileSync("which", [program[0]], { encoding: "utf8" }).trim();
  setCommand(program);
  const browser = await chromium.launch({ executablePath, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 720 } });
  try {
    await use(page);
  } catch (error) {
    console.error(error.message);
    await page.screenshot({ path: join(dir, "pictures", "failed.png") });
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
}

void main();
