import { GLOBALS } from '../filters/globals.ts';
import { Variadic } from '../value/callable.ts';
import { Undefined } from '../value/undefined.ts';
import { type Optional, TemplateObject } from '../value/value.ts';
import type { CompiledBlock, Context } from './context.ts';
import type { Evaluate, Render } from './render.ts';

/** Compiles a name: a variable of the template, else a column, else a global function. */
export function compileVariable(name: string, context: Context): Evaluate {
  const slots = context.scope.slotsOf(name);
  const { blocks } = context;
  const outer: Evaluate = name === 'self' ? (render) => new SelfReference(blocks, render) : columnOrGlobal(name);
  if (slots.length === 0) return outer;
  return (render) => {
    for (const slot of slots) {
      const value = render.variables[slot];
      if (value !== undefined) return value;
    }
    return outer(render);
  };
}

function columnOrGlobal(name: string): Evaluate {
  const global = GLOBALS.get(name);
  return (render) => {
    if (Object.hasOwn(render.record, name)) return render.column(name);
    return global ?? new Undefined(`'${name}'`, render);
  };
}

/** The variable `self`: the template's blocks as functions. */
class SelfReference extends TemplateObject {
  readonly typeName = 'TemplateReference';
  readonly #blocks: ReadonlyMap<string, CompiledBlock>;
  readonly #render: Render;

  constructor(blocks: ReadonlyMap<string, CompiledBlock>, render: Render) {
    super();
    this.#blocks = blocks;
    this.#render = render;
  }

  print(): string {
    return '<TemplateReference None>';
  }

  override member(name: string): Optional {
    const block = this.#blocks.get(name);
    if (block === undefined) return undefined;
    const render = this.#render;
    return new Variadic(`the block '${name}'`, () => render.captureCall(block.slots, () => block.run(render)));
  }
}
