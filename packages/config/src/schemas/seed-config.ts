import { z } from 'zod';
import type { RegisteredSeed } from '../define-seed.ts';
import { areRows, type MemoryRows } from '../seed/memory-rows.ts';
import { isUndecodable, textDecoderOf } from '../seed/text-codec.ts';

/** A mistake if blank, or if it names a folder: patterns are held against file names. */
const filePattern = z
  .string()
  .refine((pattern) => pattern.trim() !== '' && !/[/\\]/.test(pattern), {
    error: 'it must be a pattern for file names, without / and \\',
  })
  .describe('Which files, by name: * ? [..] [!..] as in a shell; large and small letters differ.');

const path = z.string();
const folder = path.refine((text) => text.trim() !== '', { error: 'it must not be blank' });
const recursive = z.boolean().default(true).describe('Also the files of folders below.');

const local = z.object({
  seedType: z.literal('local').describe('A table in a file of this machine.'),
  path: path.describe('A csv, json, jsonl or parquet file, or folder/*.csv for all of one kind.'),
});

const hub = z.object({
  seedType: z.literal('hf').describe('A table of the Hugging Face Hub.'),
  path: path.describe('As datasets/<user>/<name>/<file>; * stands for several files.'),
  token: z.string().nullable().default(null).describe('HF_TOKEN, or the token itself.'),
  endpoint: z.string().default('https://huggingface.co').describe('Address of the Hub.'),
});

const directory = z.object({
  seedType: z.literal('directory').describe('One row for each file of a folder.'),
  path: folder.describe('The folder.'),
  filePattern: filePattern.default('*').describe('Which files, by name.'),
  recursive,
});

const fileContents = z.object({
  seedType: z.literal('file_contents').describe('One row for each file of a folder, with its text.'),
  path: folder.describe('The folder.'),
  filePattern: filePattern.default('*').describe('Which files, by name.'),
  recursive,
  encoding: z
    .string()
    .refine((name) => textDecoderOf(name) !== undefined || isUndecodable(name), {
      error: (issue) => `there is no text encoding '${String(issue.input)}'`,
    })
    .default('utf-8')
    .describe('How the text is encoded, by a name that Python or the web has for it.'),
});

const agentRollout = z
  .object({
    seedType: z.literal('agent_rollout').describe('One row for each recorded session of an agent.'),
    path: folder.nullable().default(null).describe("The folder; null for the format's usual one."),
    filePattern: filePattern.nullable().default(null).describe("Which files, by name; null for the format's own."),
    recursive,
    format: z
      .enum(['atif', 'claude_code', 'codex', 'hermes_agent', 'pi_coding_agent'])
      .describe('What recorded the sessions.'),
  })
  .refine((source) => source.format !== 'atif' || source.path !== null, {
    error: "recordings in the format 'atif' have no usual folder: give its path",
  });

const rows = z
  .custom<MemoryRows>(areRows, { error: 'expected rows: mappings in a list, one after the other, or an Arrow table' })
  .optional()
  .describe('The rows, each a mapping of column names to values; or a table of Apache Arrow.');

const inMemory = z
  .object({
    seedType: z.literal('df').describe('Rows of the calling program.'),
    // The refinement sees to it that they are there; as a required key they could not be named in words when missing.
    rows: rows as unknown as z.ZodCustom<MemoryRows>,
  })
  .refine((source) => (source.rows as MemoryRows | undefined) !== undefined, {
    error: "rows of the seed type 'df' come from a program: from a file, name a table with 'local'",
  });

// Keys that a source does not have are left out, not refused (as in NeMo Data Designer).
const seedSource = z.discriminatedUnion('seedType', [local, hub, directory, fileContents, agentRollout, inMemory]);

/** The names of the built-in sources. */
export const seedTypes: readonly string[] = seedSource.options.map(({ shape }) => shape.seedType.value);

const range = z
  .strictObject({
    start: z.int().min(0).describe('First row, from 0.'),
    end: z.int().min(0).describe('Last row, included.'),
  })
  .refine(({ start, end }) => start <= end, { path: ['end'], error: 'start must not be after end' });

const partition = z
  .strictObject({
    index: z.int().min(0).default(0).describe('Which part, from 0.'),
    numPartitions: z.int().min(1).default(1).describe('Equal parts; the last takes the rest.'),
  })
  .refine(({ index, numPartitions }) => index < numPartitions, {
    path: ['index'],
    error: 'index must be below num_partitions',
  });

/** Rows that a dataset starts from. */
export const seedConfig = z.strictObject({
  source: seedSource.describe('Where the rows come from.'),
  samplingStrategy: z.enum(['ordered', 'shuffle']).default('ordered').describe('In order, or in random order.'),
  selectionStrategy: z
    .union([range, partition])
    .nullable()
    .default(null)
    .describe('Only a range or a part of the rows (of the files, where each file makes rows).'),
});

/** The schema of a seed, with the sources of plug-ins. */
export function seedConfigWith(further: readonly RegisteredSeed[]): typeof seedConfig {
  const sources = [...seedSource.options, ...further.map(({ schema }) => schema)];
  const source = z.discriminatedUnion('seedType', sources as never).describe('Where the rows come from.');
  return z.strictObject({ ...seedConfig.shape, source });
}

/** A parsed seed. */
export type SeedConfig = z.output<typeof seedConfig>;
/** Where the rows of a parsed seed come from. That of a plug-in is one of these to the compiler: `seedOf` tells it apart. */
export type SeedSource = z.output<typeof seedSource>;
