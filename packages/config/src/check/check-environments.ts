import { type FieldPath, knownNames, tryParse } from '@data-designer/core';
import { kindOf } from '@data-designer/environments';
import { compileTemplate, compileValue, parseTemplate, refuseMistakes } from '@data-designer/template';
import {
  ADD_PROVIDER,
  addAt,
  addToColumn,
  type Check,
  has,
  runError,
  suggest,
  templateError,
  templateFailure,
} from './check.ts';
import { fieldNamingTools } from './check-models.ts';
import { checkJsonTexts } from './check-json-texts.ts';
import { type ColumnFacts, isGrouped } from './column-facts.ts';
import { dependenciesOf } from './dependencies.ts';
import { referencesOf } from '../environment-columns.ts';

/** Checks that the worlds of rows can be opened, and that the columns which use one follow each other. */
export function checkEnvironments(check: Check): void {
  const { environments = [], toolConfigs } = check.config;
  const known = new Set<string>();
  const named = new Set(toolConfigs.flatMap(({ providers }) => providers));
  environments.forEach((environment, index) => {
    const path: FieldPath = ['environments', index];
    const { name } = environment;
    const add = (field: FieldPath, error: ReturnType<typeof runError>) => addAt(check, [...path, ...field], error);
    if (known.has(name)) {
      add(['name'], runError('duplicate_name', `there are two environments named '${name}'.`, 'Rename one of them.'));
    }
    known.add(name);
    if (check.providers?.tools.includes(name)) {
      const message = `there is also an MCP provider named '${name}', which the tools of '${name}' would hide.`;
      add(['name'], runError('duplicate_name', message, 'Rename the environment.'));
    }
    if (!named.has(name)) {
      const message = `no tool config has '${name}' among its providers, so that no column uses it.`;
      const remedy = `Add it: tool_configs: [{ tool_alias: ${name}-tools, providers: [${name}] }].`;
      add(['name'], { ...runError('unused_environment', message, remedy), level: 'WARNING' });
    }
    checkTemplatesOf(check, index);
    checkProviderOf(check, index);
    checkUsers(check, name);
  });
  checkServersBesideEachOther(check);
}

/** Tools of one server have the same names in every environment that starts it, unless these have a prefix each. */
function checkServersBesideEachOther(check: Check): void {
  const { config } = check;
  const worlds = new Map(config.environments?.map((one) => [one.name, one]));
  config.toolConfigs.forEach(({ providers }, index) => {
    const seen = new Map<string, string>();
    for (const [position, name] of providers.entries()) {
      const world = worlds.get(name);
      const server = world ? kindOf(world).provider?.(world) : name;
      if (server === undefined) continue;
      const key = JSON.stringify([server, world?.toolPrefix ?? null]);
      const other = seen.get(key);
      seen.set(key, name);
      if (other === undefined || other === name) continue;
      const message = `'${other}' and '${name}' have the tools of the provider '${server}', under the same names.`;
      const remedy = `Give ${world ? `'${name}'` : `'${other}'`} a tool_prefix of its own, or use two tool configs.`;
      addAt(check, ['toolConfigs', index, 'providers', position], runError('duplicate_tools', message, remedy));
    }
  });
}

/** The provider whose server each row gets: a child process that this program starts. */
function checkProviderOf(check: Check, index: number): void {
  const environment = check.config.environments?.[index];
  const name = environment && kindOf(environment).provider?.(environment);
  if (name === undefined || !check.providers) return;
  const { tools, processes } = check.providers;
  if (processes?.has(name) === true) return;
  const at = ['environments', index, 'provider'];
  if (tools.includes(name)) {
    const message = `'${name}' is no MCP provider of type stdio: only a server that is started as a child process can belong to one row.`;
    addAt(check, at, runError('unusable_provider', message, 'Name a provider with a command.'));
    return;
  }
  const remedy = `${knownNames(name, [...(processes?.keys() ?? [])])} ${ADD_PROVIDER}`;
  addAt(check, at, runError('unknown_provider', `there is no MCP provider '${name}'.`, remedy));
}

function checkTemplatesOf(check: Check, index: number): void {
  const environment = check.config.environments?.[index];
  if (!environment) return;
  for (const { source, field, as } of kindOf(environment).templates(environment)) {
    const failure = templateFailure(() => {
      (as === 'text' ? compileTemplate : compileValue)(source, { mode: check.templates });
      refuseMistakes(parseTemplate(source), check.templates);
    });
    if (failure) addAt(check, ['environments', index, ...field], templateError(failure));
  }
  checkJsonTexts(check, environment, index);
  // Columns that use it report what is missing in their own templates alone.
  for (const { name, optional } of referencesOf(environment)) {
    if (optional || has(check, name)) continue;
    const message = `there is no column '${name}'.`;
    const templates = kindOf(environment).templates(environment);
    const reads = (source: string) => tryParse(source, parseTemplate)?.references.includes(name);
    const field = templates.find(({ source }) => reads(source) === true)?.field ?? [];
    addAt(
      check,
      ['environments', index, ...field],
      runError('unknown_column', message, suggest(check, name, { isRead: true })),
    );
  }
}

/** The columns that use an environment continue each other's state, so each must wait for the one before it. */
function checkUsers(check: Check, environment: string): void {
  const users = check.facts.filter(({ environments = [] }) => environments.includes(environment));
  for (const facts of users) {
    if (!isGrouped(facts)) continue;
    const message = `its cells are made for all rows of a row group together, so that they cannot use the environment '${environment}' of one row.`;
    addTo(check, facts, runError('group_column', message, 'Make its cells row by row.'));
  }
  if (users.length < 2) return;
  const needs = new Map(dependenciesOf(check.facts, check.config.constraints).map((one) => [one.name, one.needs]));
  const before = (name: string, found = new Set<string>()): ReadonlySet<string> => {
    for (const need of needs.get(name) ?? []) {
      if (found.has(need)) continue;
      found.add(need);
      before(need, found);
    }
    return found;
  };
  const all = users.map((facts) => ({ facts, before: before(facts.column.name) }));
  const grouped = check.facts.filter(isGrouped).map(({ column }) => column.name);
  for (const { facts, before: own } of all) {
    const between = grouped.find((name) => {
      return own.has(name) && users.some(({ column }) => before(name).has(column.name));
    });
    if (between === undefined) continue;
    const message = `the column '${between}' is made for all rows of a row group together, between two columns that use the environment '${environment}': all its worlds would be open at a time.`;
    addTo(check, facts, runError('group_column', message, `Make '${between}' before or after both of them.`));
  }
  all.forEach(({ facts, before: own }, index) => {
    const beside = all
      .slice(0, index)
      .find((other) => !own.has(other.facts.column.name) && !other.before.has(facts.column.name));
    if (!beside) return;
    const [one, other] = [beside.facts.column.name, facts.column.name];
    const message = `'${one}' and '${other}' both use the environment '${environment}', and neither waits for the other: the state that '${other}' begins with is not determined.`;
    const remedy = `Let one of them read the other, as in {{ ${one}__state }}, or give each an environment of its own.`;
    addTo(check, facts, runError('unordered_environment', message, remedy));
  });
}

function addTo(check: Check, { column, requires }: ColumnFacts, error: ReturnType<typeof runError>): void {
  addToColumn(check, column.name, { field: fieldNamingTools(column, requires.tools[0] ?? ''), ...error });
}
