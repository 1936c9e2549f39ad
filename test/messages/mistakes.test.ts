import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type AnsweringServer, completion, openAnsweringServer, reply } from '@data-designer/testing/answering-server';
import { runCommand } from '../command-line.ts';
import { freePort } from '@data-designer/testing/free-port';
import { FIRST_HOUR, FURTHER, type Mistake } from './mistakes.ts';

/** After a change on purpose: `npx vitest run test/messages -u`. */
const SNAPSHOT = 'mistakes.txt';

const folder = mkdtempSync(join(tmpdir(), 'mistakes-'));
let server: AnsweringServer;
let closed: string;

beforeAll(async () => {
  server = await openAnsweringServer((body, response, request) => {
    const refuse = (status: number, message: string) => reply(response, { error: { message } }, { status });
    if (request.headers.authorization === 'Bearer sk-wrong') return refuse(401, 'Incorrect API key provided.');
    if (request.url === '/v1/models') return reply(response, { data: [{ id: 'small' }, { id: 'large' }] });
    if (request.url !== '/v1/chat/completions') return refuse(404, 'Not Found');
    if (!body.includes('"small"')) return refuse(404, "The model 'smal' does not exist.");
    return reply(response, completion('A fact.'));
  });
  closed = `http://127.0.0.1:${await freePort()}`;
});

afterAll(() => {
  server[Symbol.dispose]();
  rmSync(folder, { recursive: true });
});

/** Runs the command of a mistake in a folder of its own, as text or as JSON. */
async function met({ files, args }: Mistake, flags: readonly string[] = []): Promise<string> {
  const cwd = mkdtempSync(join(folder, 'case-'));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, name)), { recursive: true });
    writeFileSync(join(cwd, name), text.replaceAll('ORIGIN', server.origin).replaceAll('CLOSED', closed));
  }
  const home = join(cwd, 'home');
  const env = { DATA_DESIGNER_HOME: home, MY_MODEL_KEY: undefined, OPENAI_API_KEY: undefined };
  const { code, stdout, stderr } = await runCommand([...args, ...flags], { cwd, env });
  const said = flags.includes('--json') ? errorIn(stdout) : `${stderr}${stdout}`;
  return `${withoutProgress(said)}exit code ${code}`
    .replaceAll(cwd, '<folder>')
    .replaceAll(server.origin.slice(7), '127.0.0.1:1111')
    .replaceAll(closed.slice(7), '127.0.0.1:2222');
}

/** The lines that do not depend on time. */
function withoutProgress(text: string): string {
  return text.replace(/^\d+ of \d+ rows?, .*\n/gm, '');
}

/** The failure of a command that printed JSON, without the texts that the messages repeat. */
function errorIn(stdout: string): string {
  const { error } = JSON.parse(stdout.slice(stdout.search(/^\{$/m))) as { error?: object };
  return `${JSON.stringify(error, withoutRepeats)}\n`;
}

function withoutRepeats(key: string, value: unknown): unknown {
  return key === 'frame' || key === 'usage' ? undefined : value;
}

test('mistakes.txt holds what users see for the mistakes of a first hour, as text and as JSON', async () => {
  const shown: string[] = [];
  for (const [title, mistake] of Object.entries(FIRST_HOUR)) {
    shown.push(`# ${title}\n\n${await met(mistake)}\n\n${await met(mistake, ['--json'])}`);
  }
  for (const [title, mistake] of Object.entries(FURTHER)) shown.push(`# ${title}\n\n${await met(mistake)}`);
  await expect(`${shown.join('\n\n')}\n`).toMatchFileSnapshot(SNAPSHOT);
}, 120_000);
