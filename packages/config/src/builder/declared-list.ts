import { knownNames } from '@data-designer/core';
import { partOf } from '../spelling.ts';
import { copyDeclaration } from './copy-declaration.ts';
import { invalid } from './invalid-config.ts';

/** A list of a declaration, with its names for messages. */
export interface ListNames {
  readonly list: 'attempts' | 'environments' | 'columns' | 'modelConfigs' | 'toolConfigs' | 'processors';
  /** The word for a member in messages. */
  readonly member: string;
  /** The field that names a member. */
  readonly key: string;
  /** The name of the declaration in messages. */
  readonly source: string;
}

/** Named declarations, in the order in which the names were first declared. */
export class DeclaredList<Config extends object> {
  readonly #configs = new Map<string, Config>();
  readonly #names: ListNames;

  constructor(names: ListNames) {
    this.#names = names;
  }

  /** Adds a declaration; throws `config/invalid` if its name is taken. */
  add(config: Config): void {
    const { source, member } = this.#names;
    const name = this.#nameOf(config);
    if (this.#configs.has(name)) {
      const message = `there is already a ${member} named '${name}'.`;
      const path = this.#pathOfKey(this.#configs.size);
      throw invalid(source, { type: 'duplicate_name', path, message, remedy: `Rename one ${member}.` });
    }
    this.put(config);
  }

  /** Adds a declaration, or replaces the one of the same name at its position. */
  put(config: Config): void {
    const { list, source } = this.#names;
    const name = this.#nameOf(config);
    const index = [...this.#configs.keys()].indexOf(name);
    const path = `${list}[${index === -1 ? this.#configs.size : index}]`;
    this.#configs.set(name, copyDeclaration(config, { path, source }));
  }

  /** Adds a declaration at the end and removes the one of the same name. */
  putLast(config: Config): void {
    const name = this.#nameOf(config);
    this.#configs.delete(name);
    this.put(config);
  }

  delete(name: string): void {
    this.#configs.delete(name);
  }

  /** The declaration of that name; throws `config/invalid` if there is none. */
  get(name: string): Config {
    const { list, member, source } = this.#names;
    const config = this.#configs.get(name);
    if (config) return config;
    const remedy = knownNames(name, [...this.#configs.keys()]);
    const message = `there is no ${member} named '${name}'.`;
    throw invalid(source, { type: 'unknown_name', path: list, message, remedy });
  }

  all(): readonly Config[] {
    return [...this.#configs.values()];
  }

  #nameOf(config: Config): string {
    const { key, member, source } = this.#names;
    const name = partOf(config, key);
    if (typeof name === 'string' && name !== '') return name;
    if (Array.isArray(config) || typeof config === 'string') {
      const path = `${this.#names.list}[${this.#configs.size}]`;
      const message = `a ${member} must be an object, but this is ${Array.isArray(config) ? 'a list' : `'${String(config)}'`}.`;
      const remedy = `Give one object for each ${member}, as in { ${key}: '…', … }.`;
      throw invalid(source, { type: 'invalid_value', path, message, remedy });
    }
    const message = name === undefined ? 'this key is missing.' : 'the name must be a text that is not empty.';
    const path = this.#pathOfKey(this.#configs.size);
    throw invalid(source, { type: 'missing', path, message, remedy: `Add a name; every ${member} needs one.` });
  }

  #pathOfKey(index: number): string {
    return `${this.#names.list}[${index}].${this.#names.key}`;
  }
}
