import { z } from 'zod';
import { type ColumnRegistry, parseDataset, parseDocument } from '@data-designer/config';
import { DataDesignerError, type Violation } from '@data-designer/core';
import type { Declaration } from '../declaration/declaration.ts';
import type { DatasetMaker } from './dataset-maker.ts';

/** A declaration as a client gives it. */
export const clientConfig = z
  .union([z.string().max(2 ** 20), z.record(z.string(), z.unknown())])
  .describe(
    'The config of a dataset: the mapping itself, or its text as YAML or JSON (which keeps 1.0 apart from 1). Never a path or an address.',
  );

/** What configs of clients are called in messages. */
const SOURCE = 'The config';

/**
 * A client's config as a declaration of strangers: it reads no file of this machine unless the server's user allows it,
 * and names no secret and no price of its own. Throws `config/unreadable` and `config/invalid`.
 */
export function clientDeclaration(
  given: z.output<typeof clientConfig>,
  { settings, hasBudget }: DatasetMaker,
  registry: ColumnRegistry,
): Declaration {
  const document = typeof given === 'string' ? parseText(given) : given;
  const { localFiles = false, secrets = [] } = settings.common.permissions ?? {};
  const violations = refusals(document, registry, { secrets, hasBudget });
  if (violations.length > 0) throw new DataDesignerError('config/invalid', { source: SOURCE, violations });
  return { document, source: SOURCE, origin: localFiles ? 'local' : 'address' };
}

/** JSON keeps JSON's meaning; all else is YAML. */
function parseText(text: string): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return parseDocument(text, { path: SOURCE, json: true });
    } catch {
      // YAML in flow style begins like JSON.
    }
  }
  return parseDocument(text, { path: SOURCE, json: false });
}

/** What no config of a client may say here, beyond what no config of a stranger may say anywhere. */
function refusals(
  document: unknown,
  registry: ColumnRegistry,
  { secrets, hasBudget }: { readonly secrets: readonly string[]; readonly hasBudget: boolean },
): readonly Violation[] {
  const { config, pathOf } = parseDataset(document, registry);
  const source = config.seedConfig?.source;
  const token = source?.seedType === 'hf' ? source.token : null;
  const namesToken = token && !secrets.includes(token.replace(/^\$\{(.*)\}$/, '$1'));
  const priced = hasBudget ? config.modelConfigs.filter(({ pricing }) => pricing) : [];
  return [
    ...(namesToken
      ? [
          refused(pathOf('seedConfig', 'source', 'token'), {
            type: 'secret_refused',
            message: 'a config of a client of this server may use no secret.',
            remedy: "Leave it out; the server's user can allow one with --allow-secret.",
          }),
        ]
      : []),
    ...priced.map(({ alias }) =>
      refused(pathOf('modelConfigs'), {
        type: 'pricing_refused',
        message: `the model '${alias}' says what it costs, and this server has a budget.`,
        remedy: "Leave 'pricing' out: prices come from the server's user.",
      }),
    ),
  ];
}

function refused(path: string, told: Pick<Violation, 'type' | 'message' | 'remedy'>): Violation {
  return { stage: 'run', level: 'ERROR', path, ...told };
}
