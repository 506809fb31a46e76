import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { PROJECT_ROOT } from '../../server/config/folders.ts';
import { findTool, requireTool } from './testTools.ts';

/** Below `node_modules`, so that `npm ci` removes it and users with clones of their own never meet there. */
const CACHE = path.join(PROJECT_ROOT, 'node_modules', '.cache');
const FOLDER = path.join(CACHE, 'chromium');
const PROGRAM = path.join(FOLDER, 'chromium');
/** The package's own file names folders that all users of a machine share. */
const FONTS_CONFIG = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${path.join(FOLDER, 'fonts')}</dir>
  <cachedir>${path.join(FOLDER, 'fonts-cache')}</cachedir>
</fontconfig>
`;
/** The package unpacks to the temporary folder, and its libraries only where it believes to run on AWS Lambda. */
const UNPACK = "import('@sparticuz/chromium').then(({ default: chromium }) => chromium.executablePath())";
const PLAYWRIGHT = path.join(PROJECT_ROOT, 'node_modules', 'playwright-core', 'cli.js');

export function chromiumLaunch() {
  if (process.env.CHROME_PATH || !existsSync(PROGRAM)) return { executablePath: requireTool('chromium') };
  // A bare system has neither the libraries nor fonts.
  const env = {
    ...process.env,
    LD_LIBRARY_PATH: path.join(FOLDER, 'al2023', 'lib'),
    FONTCONFIG_PATH: FOLDER,
  };
  return { executablePath: PROGRAM, env };
}

/**
 * Makes a Chromium ready: the one that CHROME_PATH names; else on Linux x64 the one that npm brought, so that all
 * machines test with the same; else an installed one, or Playwright's own, which is downloaded with progress.
 * @throws {Error} when the browser cannot be had or does not run here
 */
export async function installChromium(): Promise<void> {
  const { CHROME_PATH } = process.env;
  const isInstalled = findTool('chromium') !== undefined;
  if (CHROME_PATH && !isInstalled) {
    throw new Error(`CHROME_PATH names ${CHROME_PATH}, which is not a program that can be run.`);
  }
  if (CHROME_PATH || existsSync(PROGRAM)) return;
  const isPackaged = process.platform === 'linux' && process.arch === 'x64';
  if (isInstalled && !isPackaged) return;
  try {
    if (isPackaged) await unpack();
    else await download();
  } catch (cause) {
    if (isInstalled)
      return console.warn(`The installed Chromium is used, since npm's does not run here: ${cause}`);
    throw new Error(
      'These tests need Chromium, and none could be made ready here. Install it, for example with ' +
        '`apt-get update && apt-get install -y chromium`, or name the program of a Chrome or Chromium by CHROME_PATH.',
      { cause },
    );
  }
}

/** Unpacks beside the final folder and renames at the end, so that another run never starts half a browser. */
async function unpack(): Promise<void> {
  await mkdir(CACHE, { recursive: true });
  const folder = await mkdtemp(path.join(CACHE, 'chromium-'));
  try {
    await promisify(execFile)(process.execPath, ['--eval', UNPACK], {
      cwd: PROJECT_ROOT,
      env: { ...process.env, TMPDIR: folder, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs20.x' },
    });
    await writeFile(path.join(folder, 'fonts.conf'), FONTS_CONFIG);
    await promisify(execFile)(path.join(folder, 'chromium'), ['--version'], {
      env: { ...process.env, LD_LIBRARY_PATH: path.join(folder, 'al2023', 'lib') },
    });
    await rename(folder, FOLDER).catch((error: unknown) => {
      // Another run was quicker.
      if (!existsSync(PROGRAM)) throw error;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function download(): Promise<void> {
  const child = spawn(process.execPath, [PLAYWRIGHT, 'install', '--no-shell', 'chromium'], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const [exitCode] = await once(child, 'exit');
  if (exitCode !== 0) throw new Error(`The download ended with ${exitCode}`);
  await promisify(execFile)(chromium.executablePath(), ['--version']);
}
