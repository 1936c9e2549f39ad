import type { ModelProvider } from '@data-designer/config';
import { MODEL_PROTOCOL_LABELS, MODEL_PROTOCOL_NAMES } from '@data-designer/core';
import { checkAddress } from '../flags/parse-flags.ts';
import { removeEntries, printChange } from '../save-entry.ts';
import type { Asker } from './asker.ts';
import { askMenu } from './entry-menu.ts';
import { type Form, nameQuestion, type Question } from './form.ts';
import { apiKeyField, type KeyAnswers, keyQuestions } from './key-questions.ts';

interface Answers extends KeyAnswers {
  readonly name: string;
  readonly providerType: string;
  readonly endpoint: string;
}

/** The wizard that adds, changes and deletes model providers of the home folder. */
export function askModelProviders(): Promise<void> {
  return askMenu<Answers>({ file: 'modelProviders', noun: 'model provider', form, answersOf, afterDelete });
}

const PROTOCOLS = MODEL_PROTOCOL_NAMES.map((name) => ({
  value: name,
  name: `${MODEL_PROTOCOL_LABELS[name]} (${name})`,
}));

function form(name: string | undefined, names: readonly string[]): Form<Answers> {
  const ofName = nameQuestion('name', { label: 'Name', message: 'Provider name (used in model configs)', names });
  const questions: readonly Question<Answers>[] = [
    {
      label: 'Protocol',
      ask: async (asker, { providerType: before }) => ({
        providerType: await asker.select<string>('Which protocol does it speak?', PROTOCOLS, { before }),
      }),
      show: ({ providerType = '' }) => providerType,
    },
    {
      label: 'Address',
      ask: async (asker, { endpoint: before }) => ({
        endpoint: await asker.text({
          message: 'Base address, such as https://host/v1',
          before,
          validate: checkAddress,
        }),
      }),
      show: ({ endpoint = '' }) => endpoint,
    },
    ...keyQuestions(name !== undefined),
  ];
  return {
    file: 'modelProviders',
    questions: name === undefined ? [ofName, ...questions] : questions,
    changeOf: ({ name: given = '', providerType, endpoint, ...key }) => {
      const fields = { endpoint, providerType, ...apiKeyField(key) };
      return name === undefined ? { kind: 'add', name: given, fields } : { kind: 'update', name, fields };
    },
  };
}

async function answersOf(name: string): Promise<Partial<Answers>> {
  const { readHome } = await import('@data-designer/config');
  const provider: ModelProvider | undefined = readHome().providers.models.find((one) => one.name === name);
  return provider ? { providerType: provider.providerType, endpoint: provider.endpoint, keyFrom: 'unchanged' } : {};
}

/** Offers to delete the models of deleted providers too. */
async function afterDelete(asker: Asker, models: readonly string[]): Promise<void> {
  if (models.length === 0) return;
  if (!(await asker.confirm(`Delete the models that use it too (${models.join(', ')})?`, false))) return;
  printChange(await removeEntries('modelConfigs', models), { json: false });
}
