import { z } from 'zod';
import { type ColumnRegistry, parseDataset, parseDocument } from '@data-designer/config';
import { DataDesignerError, type Violation } from '@data-designer/core';
import type { Declaration } from '@data-designer/declaration';
import type { DatasetMaker } from './dataset-maker.ts';

/** The parameter for a client's config. */
export const clientConfig = z
  .union([z.string().max(2 ** 20), z.record(z.string(), z.unknown())])
  .describe(
    'A dataset config: a mapping, or its text as YAML or JSON (text distinguishes 1.0 from 1). Not a path or an address.',
  );

/** The name of a client's config in messages. */
const SOURCE = 'The config';

/**
 * A client's config as an untrusted declaration: it reads files of this machine only if the server's user allows it, and
 * names no secrets and, with a budget, no prices. Throws `config/unreadable` and `config/invalid`.
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

/** Parses JSON as JSON and other text as YAML. */
function parseText(text: string): unknown {
  if (text.trimStart().startsWith('{')) {
    try {
      return parseDocument(text, { path: SOURCE, json: true });
    } catch {
      // YAML in flow style also begins with a brace.
    }
  }
  return parseDocument(text, { path: SOURCE, json: false });
}

/** The settings that only clients' configs may not have, beyond the rules for every untrusted config. */
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
            message: "a client's config may use no secret.",
            remedy: "Leave it out; the server's user can allow one with --allow-secret.",
          }),
        ]
      : []),
    ...priced.map(({ alias }) =>
      refused(pathOf('modelConfigs'), {
        type: 'pricing_refused',
        message: `the model '${alias}' has its own price, and this server has a budget.`,
        remedy: "Leave 'pricing' out: the server's user sets prices with --prices.",
      }),
    ),
  ];
}

function refused(path: string, rest: Pick<Violation, 'type' | 'message' | 'remedy'>): Violation {
  return { stage: 'run', level: 'ERROR', path, ...rest };
}
