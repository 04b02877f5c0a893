import { type NodeCase, special } from '../support/side-by-side.ts';

/** File and file in nodes: what is written is read again. */
export function fileCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const reader = (more: object = {}) => ({
    ...{ id: '@in', type: 'file in', name: '', filename: 'filename', filenameType: 'msg', format: 'utf8' },
    ...{ chunk: false, sendError: false, encoding: 'none', allProps: false, wires: [['@read']] },
    ...more,
  });
  const written = [
    'first',
    'second',
    5,
    true,
    { payload: { a: 1 } },
    special.buffer('bytes'),
    null,
    special.undefined,
    '',
  ];
  const add = (name: string, file: object, reading: object, give: readonly unknown[] = written) => {
    const node = {
      ...{
        type: 'file',
        filename: '$env("SIDE") & "/@out.txt"',
        filenameType: 'jsonata',
        appendNewline: true,
      },
      ...{ createDir: false, overwriteFile: 'false', encoding: 'none', wires: [['@out0', '@in']] },
      ...file,
    };
    // One message each: when a second one is written, the first may not have been read yet.
    for (const [index, message] of give.entries())
      cases[`file ${name} ${index}`] = {
        node,
        give: [message],
        more: [reader(reading), { id: '@read', type: 'keep', name: 'read' }],
      };
  };
  for (const overwriteFile of ['false', 'true', 'delete']) {
    for (const appendNewline of [true, false]) {
      add(`${overwriteFile} ${appendNewline}`, { overwriteFile, appendNewline }, {});
    }
  }
  for (const encoding of ['none', 'utf8', 'latin1']) {
    const texts = [
      { payload: 'häß', encoding: 'utf8' },
      { payload: 'cafe', encoding: 'latin1' },
    ];
    add(
      `encoded ${encoding}`,
      { encoding, overwriteFile: 'true', appendNewline: false },
      { encoding },
      texts,
    );
  }
  for (const format of ['utf8', 'lines', '', 'stream']) {
    for (const allProps of [false, true]) {
      const texts = [{ payload: 'one\ntwo\n', topic: 't' }, 'three', ''];
      add(`read as ${format} ${allProps}`, {}, { format, allProps }, texts);
    }
  }
  add('in a new folder', { createDir: true, filename: '$env("SIDE") & "/@new/@out.txt"' }, {}, ['x']);
  add('in a folder that is not there', { filename: '$env("SIDE") & "/@none/out.txt"' }, {}, ['x']);
  add('without a name', { filename: '', filenameType: 'str' }, {}, ['x']);
  add('by a wrong expression', { filename: '$env(', filenameType: 'jsonata' }, {}, ['x']);
  const env = { filename: '${SIDE}/@env.txt', filenameType: 'env' };
  add('named by the environment', env, {}, ['x', 'y']);
  for (const sendError of [true, false]) {
    cases[`file in, nothing to read ${sendError}`] = {
      node: { type: 'file in', filename: '/nowhere/at/all', filenameType: 'str', format: 'utf8', sendError },
      give: ['x', { filename: '/other' }],
    };
  }
  return cases;
}

/** Link nodes: calls by id and by name, answers, time-outs; and what complete, catch and status nodes take. */
export function linkCases(): Record<string, NodeCase> {
  const cases: Record<string, NodeCase> = {};
  const answering = (id: string, name: string, code: string, mode = 'return') => [
    { id: `@${id}`, type: 'link in', name: `@${name}`, links: [], wires: [[`@${id}f`]] },
    { id: `@${id}f`, type: 'function', func: code, outputs: 1, libs: [], wires: [[`@${id}o`]] },
    { id: `@${id}o`, type: 'link out', mode, links: [], wires: [] },
  ];
  const more = [
    ...answering('one', 'single', 'msg.payload = "one " + msg.payload; return msg;'),
    ...answering('two', 'twice', 'return [[msg, { payload: "second" }]];'),
    ...answering('dup1', 'same', 'msg.payload = "dup"; return msg;'),
    ...answering('dup2', 'same', 'msg.payload = "dup"; return msg;'),
    ...answering('none', 'silent', 'return null;'),
    ...answering('fail', 'failing', 'throw new Error("inside");'),
    ...answering('late', 'late', 'setTimeout(() => node.send(msg), 30);'),
    ...answering('copy', 'copies', 'return { ...msg, extra: 1 };'),
    ...answering('lost', 'forgets', 'delete msg._linkSource; return msg;'),
  ];
  const call = (config: object) => ({
    type: 'link call',
    links: [],
    linkType: 'static',
    timeout: '30',
    ...config,
  });
  const give = ['a', { payload: 'b', topic: 't' }, [1]];
  cases['link call that is not answered'] = { node: call({ links: ['@none'], timeout: '0.1' }), give, more };
  for (const id of ['one', 'two', 'fail', 'late', 'copy', 'lost']) {
    cases[`link call ${id}`] = { node: call({ links: [`@${id}`] }), give, more };
  }
  cases['link call nothing'] = { node: call({}), give, more };
  cases['link call what is not there'] = { node: call({ links: ['nowhere'] }), give, more };
  cases['link call without a limit'] = { node: call({ links: ['@one'], timeout: '' }), give, more };
  const dynamic = ['@one', '@single', '@twice', '@same', '@nope', '', 5, null, '@late', '@n'];
  for (const [index, target] of dynamic.entries()) {
    const resolved = typeof target === 'string' ? target : `(${target})`;
    cases[`link call dynamic ${index}`] = {
      node: call({ linkType: 'dynamic' }),
      enter: '@start',
      give: ['x'],
      more: [
        ...more,
        {
          id: '@start',
          type: 'change',
          rules: [{ t: 'set', p: 'target', pt: 'msg', to: resolved, tot: 'str' }],
          wires: [['@n']],
        },
      ],
    };
  }
  return cases;
}
