import type { ModelConfig } from '@data-designer/config';
import { fieldsOf } from '@data-designer/core';
import type { EntryFields } from '../save-entry.ts';
import type { Asker } from './asker.ts';
import { askMenu } from './entry-menu.ts';
import { type Form, nameQuestion, type Question } from './form.ts';
import { type GenerationType, MODEL_PARAMETERS, type ModelParameter } from './model-parameters.ts';
import { printFailure, requireText } from './prompts.ts';
import { withSpinner } from './spinner.ts';
import { knownModelProviders, listedModels } from './tested-models.ts';

interface Answers {
  readonly alias: string;
  readonly provider: string;
  readonly model: string;
  readonly generationType: GenerationType;
  /** The generation type that is stored. */
  readonly typeBefore: GenerationType;
  readonly wantsParameters: boolean;
  /** The texts of the parameters by name; an empty one is not set. */
  readonly parameters: Readonly<Record<string, string>>;
}

/** The wizard that adds, changes and deletes models of the home folder. */
export function askModelConfigs(): Promise<void> {
  const listed = new Map<string, readonly string[]>();
  return askMenu<Answers>({
    file: 'modelConfigs',
    noun: 'model config',
    form: (alias, aliases) => form(alias, { aliases, listed }),
    answersOf,
  });
}

interface Known {
  readonly aliases: readonly string[];
  /** The models that providers have listed in this wizard. */
  readonly listed: Map<string, readonly string[]>;
}

const TYPES = [
  { value: 'chat-completion', name: 'Text (chat-completion)' },
  { value: 'embedding', name: 'Vectors (embedding)' },
  { value: 'image', name: 'Images (image)' },
] as const;

function form(alias: string | undefined, { aliases, listed }: Known): Form<Answers> {
  const ofAlias = nameQuestion('alias', { label: 'Alias', message: 'Alias (used in columns)', names: aliases });
  const questions: readonly Question<Answers>[] = [
    {
      label: 'Provider',
      ask: async (asker, { provider: before }) => ({ provider: await askProvider(asker, before) }),
      show: ({ provider = '' }) => provider,
    },
    {
      label: 'Model',
      ask: async (asker, { provider = '', model }) => ({ model: await askModel(asker, { provider, model, listed }) }),
      show: ({ model = '' }) => model,
    },
    {
      label: 'Makes',
      ask: async (asker, { generationType: before }) => ({
        generationType: await asker.select<GenerationType>('What does it make?', TYPES, { before }),
      }),
      show: ({ generationType = '' }) => generationType,
    },
    {
      label: 'Parameters',
      ask: async (asker, { wantsParameters = false }) => ({
        wantsParameters: await asker.confirm('Set parameters, such as temperature and limits?', wantsParameters),
      }),
      show: ({ wantsParameters }) => (wantsParameters ? 'set' : 'unchanged'),
    },
    ...MODEL_PARAMETERS.map(questionOf),
  ];
  return {
    file: 'modelConfigs',
    questions: alias === undefined ? [ofAlias, ...questions] : questions,
    changeOf: (answers) => {
      const fields = fieldsOfAnswers(answers);
      return alias === undefined
        ? { kind: 'add', name: answers.alias ?? '', fields }
        : { kind: 'update', name: alias, fields };
    },
  };
}

async function askProvider(asker: Asker, before: string | undefined): Promise<string> {
  const { showEndpoint } = await import('@data-designer/config');
  const known = await knownModelProviders();
  const choices = known.map(({ name, endpoint }) => ({ value: name, name, description: showEndpoint(endpoint) }));
  const simulator = { value: 'simulator', name: 'simulator', description: 'built in, makes answers up' };
  return asker.select('Provider', [...choices, simulator], { before });
}

/** Offers the models that the provider lists; if it lists none, any name can be typed. */
async function askModel(
  asker: Asker,
  {
    provider,
    model,
    listed,
  }: Pick<Known, 'listed'> & { readonly provider: string; readonly model: string | undefined },
): Promise<string> {
  const names = listed.get(provider) ?? (await listModels(provider));
  if (names.length === 0) {
    const before = model ?? (provider === 'simulator' ? 'sim-small' : undefined);
    return asker.text({ message: 'Name of the model at its provider', before, validate: requireText });
  }
  listed.set(provider, names);
  return asker.search(`Model (type to search ${names.length} models)`, names, model);
}

async function listModels(name: string): Promise<readonly string[]> {
  const provider = (await knownModelProviders()).find((one) => one.name === name);
  if (!provider) return [];
  try {
    return await withSpinner(`Listing the models of ${name} …`, () => listedModels(provider));
  } catch (thrown) {
    printFailure(thrown);
    return [];
  }
}

function questionOf({ name, message, types, check }: ModelParameter): Question<Answers> {
  return {
    label: message,
    isAsked: ({ wantsParameters = false, generationType }) =>
      wantsParameters && types.some((type) => type === generationType),
    ask: async (asker, { parameters = {} }) => {
      const question = { message: `${message} (may be empty)`, before: parameters[name] };
      const text = await asker.text({ ...question, validate: (given) => given === '' || check(given) });
      return { parameters: { ...parameters, [name]: text } };
    },
    show: ({ parameters = {} }) => parameters[name] || 'not set',
  };
}

/** The parameters of the generation type with their values; undefined where they are not set. */
function parametersOf({ parameters = {}, generationType, wantsParameters = false }: Partial<Answers>): EntryFields {
  if (!wantsParameters) return {};
  const asked = MODEL_PARAMETERS.filter(({ types }) => types.some((type) => type === generationType));
  const values = asked.map(({ name, valueOf }) => {
    const text = parameters[name];
    return [`inferenceParameters.${name}`, text ? valueOf(text) : undefined];
  });
  return Object.fromEntries(values);
}

/** The fields; parameters that were not asked for stay, unless the model makes something else now. */
function fieldsOfAnswers(answers: Partial<Answers>): EntryFields {
  const { model, provider, generationType, typeBefore = 'chat-completion' } = answers;
  const isOther = generationType !== typeBefore;
  const type = { inferenceParameters: undefined, 'inferenceParameters.generationType': generationType };
  return { model, provider, ...(isOther ? type : {}), ...parametersOf(answers) };
}

async function answersOf(alias: string): Promise<Partial<Answers>> {
  const { readHome } = await import('@data-designer/config');
  const config: ModelConfig | undefined = readHome().models.find((one) => one.alias === alias);
  if (!config) return {};
  const { model, provider, inferenceParameters } = config;
  const { generationType } = inferenceParameters;
  const values = fieldsOf(inferenceParameters);
  const texts = MODEL_PARAMETERS.map(({ name, textOf }) => [name, textOf(values[name])]);
  return { model, provider, generationType, typeBefore: generationType, parameters: Object.fromEntries(texts) };
}
