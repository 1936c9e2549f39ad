import { Variadic } from '../value/callable.ts';
import { TemplateObject, type Value } from '../value/value.ts';
import type { Block } from './context.ts';
import type { Render } from './render.ts';
import { captureCall } from './written-by.ts';

/** The variable `self`: the blocks of the template by their names. */
export class SelfReference extends TemplateObject {
  readonly typeName = 'TemplateReference';
  readonly #blocks: ReadonlyMap<string, Block>;
  readonly #render: Render;

  constructor(blocks: ReadonlyMap<string, Block>, render: Render) {
    super();
    this.#blocks = blocks;
    this.#render = render;
  }

  print(): string {
    return '<TemplateReference None>';
  }

  override member(name: string): Value | undefined {
    const block = this.#blocks.get(name);
    if (block === undefined) return undefined;
    return new Variadic(`the block '${name}'`, () =>
      captureCall(this.#render, block.slots, () => block.run(this.#render)),
    );
  }
}
