import { EventEmitter } from 'node:events';
import { inherits } from 'node:util';
import { describe, expect, it } from 'vitest';
import { inheritBase } from './inherit.ts';

class Base extends EventEmitter {
  hello() {
    return 'hello';
  }
}

describe('inheritBase', () => {
  it('puts the base above a plain function, keeping its own methods', () => {
    function Plain() {}
    Plain.prototype.own = () => 'own';
    inheritBase(Plain, Base);
    const node = Object.create(Plain.prototype);
    expect(node).toBeInstanceOf(Base);
    expect(node.own()).toBe('own');
    expect(node.hello()).toBe('hello');
    expect((Plain as unknown as { super_: unknown }).super_).toBe(Base);
  });

  it('keeps the ancestors of a class between it and the base', () => {
    class Middle {
      middle() {
        return 'middle';
      }
    }
    class Type extends Middle {}
    inheritBase(Type, Base);
    const node = new Type() as Type & Base;
    expect(node.middle()).toBe('middle');
    expect(node.hello()).toBe('hello');
  });

  it('keeps ancestors made with util.inherits', () => {
    function Middle() {}
    Middle.prototype.middle = () => 'middle';
    function Type() {}
    inherits(Type, Middle);
    inheritBase(Type, Base);
    const node = Object.create(Type.prototype);
    expect(node.middle()).toBe('middle');
    expect(node.hello()).toBe('hello');
  });

  it('puts the base above a type that already is an emitter, without touching EventEmitter', () => {
    class Type extends EventEmitter {}
    inheritBase(Type, Base);
    expect(Type.prototype).toBeInstanceOf(Base);
    expect(Object.getPrototypeOf(EventEmitter.prototype)).toBe(Object.prototype);
  });

  it('leaves a type alone that inherits the base already', () => {
    class Type extends Base {}
    inheritBase(Type, Base);
    inheritBase(Type, Base);
    expect(Object.getPrototypeOf(Type.prototype)).toBe(Base.prototype);
  });

  it.each([[() => 0], [{}], [null], ['text']])('refuses what cannot be called with new: %s', (value) => {
    expect(() => inheritBase(value, Base)).toThrow('must be a function or a class');
  });
});
