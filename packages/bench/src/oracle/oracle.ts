import { randomInt } from 'node:crypto';
import { parseArgs } from 'node:util';
import { askTemplates } from './ask-template.ts';
import { jinjaVersion } from './open-jinja.ts';
import { printReport } from './print-report.ts';

const OPTIONS = { cases: { type: 'string' }, seed: { type: 'string' } } as const;

interface Command {
  readonly cases: number;
  readonly seed: number;
}

/** What the command line asks for; undefined where it is no use of the command. */
function readCommand(): Command | undefined {
  try {
    const { values, positionals } = parseArgs({ options: OPTIONS, allowPositionals: true });
    const { cases = '2000', seed = String(randomInt(2 ** 31)) } = values;
    const isKnown = positionals.join() === 'template' && [cases, seed].every((text) => /^\d{1,15}$/.test(text));
    return isKnown ? { cases: Number(cases), seed: Number(seed) } : undefined;
  } catch {
    return undefined;
  }
}

const command = readCommand();
const version = jinjaVersion();
if (!command) {
  process.stderr.write('Usage: npm run oracle -- template [--cases n] [--seed n]\n');
  process.exitCode = 2;
} else if (version === undefined) {
  process.stdout.write(
    'The oracle is Jinja2, which Python does not have here. On Debian or Ubuntu: apt-get install -y python3-jinja2\n',
  );
} else {
  process.stdout.write(`template, seed ${command.seed}, against Jinja2 ${version}\n`);
  process.stdout.write(`${printReport(await askTemplates(command.seed, command.cases))}\n`);
}
