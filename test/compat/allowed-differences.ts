/** What a client sees of an answer. */
export interface Seen {
  readonly status: number;
  /** Media type without parameters; null where there is none. */
  readonly type: string | null;
  /** Whether there is an entity tag. */
  readonly tagged: boolean;
  /** Parsed where it is JSON, else the text. */
  // biome-ignore lint/suspicious/noExplicitAny: bodies of many shapes, compared as they are
  readonly body: any;
}

/** The answers of both to one request. */
export interface Pair {
  readonly ours: Seen;
  readonly theirs: Seen;
}

/** A way in which our answers may differ from the peer's, and why. */
export interface Difference {
  readonly reason: string;
  /** Requests that it concerns, as `METHOD path`. */
  readonly where: RegExp;
  /** The pair with this difference evened out; as it is where the difference does not apply. */
  readonly even: (pair: Pair) => Pair;
}

const bodies = (change: (body: Seen['body']) => unknown) => ({
  of: ({ ours, theirs }: Pair): Pair => ({
    ours: { ...ours, body: change(ours.body) },
    theirs: { ...theirs, body: change(theirs.body) },
  }),
});

/** Leaves members out, at any depth. */
function without(value: unknown, ...names: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((each) => without(each, ...names));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([name]) => !names.includes(name))
      .map(([name, each]) => [name, without(each, ...names)]),
  );
}

const answered = (status: number, reason: string, where: RegExp, theirStatus: number): Difference => ({
  reason,
  where,
  even: (pair) =>
    pair.ours.status === status && pair.theirs.status === theirStatus
      ? { ours: pair.theirs, theirs: pair.theirs }
      : pair,
});

/** Every difference that is meant. A test holds that each is needed. */
export const allowedDifferences: readonly Difference[] = [
  // General.
  {
    reason:
      'Decision 3: errors are { code, message } in JSON, where the peer sends the pages of its web framework',
    where: /./,
    even: (pair) => {
      const { ours, theirs } = pair;
      const isPage = theirs.status >= 400 && (theirs.type === 'text/html' || theirs.type === 'text/plain');
      if (!isPage || ours.status !== theirs.status) return pair;
      const { code, message, error, error_description: words } = Object(ours.body);
      const isError =
        ours.body === '' || ((code ?? error) !== undefined && typeof (message ?? words) === 'string');
      return isError ? { ours: theirs, theirs } : pair;
    },
  },
  {
    reason:
      'Decision 3: the words of errors are our own, and none is a bare "Error"; their codes are the same',
    where: /./,
    even: (pair) =>
      pair.theirs.status >= 400 && pair.ours.body?.code !== undefined && pair.theirs.body?.code !== undefined
        ? bodies(({ message, ...body }) => ({ ...body, message: typeof message })).of(pair)
        : pair,
  },
  {
    reason:
      'Only answers that a client could have already carry an entity tag; errors, and reports of this moment, do not',
    where: /./,
    even: (pair) =>
      pair.ours.tagged || (pair.theirs.status < 400 && !pair.theirs.body?.report) || pair.ours.status >= 500
        ? pair
        : { ours: pair.ours, theirs: { ...pair.theirs, tagged: false } },
  },
  {
    reason: 'What a change answers is nothing to keep, so that it has no entity tag',
    where: /^(POST|PUT|DELETE) /,
    even: (pair) => ({ ours: pair.ours, theirs: { ...pair.theirs, tagged: pair.ours.tagged } }),
  },
  {
    reason: 'Library files have an entity tag as everything that is read has',
    where: /^GET \/library\/[^/]+\/[^/]+\/./i,
    even: (pair) => (pair.ours.tagged ? { ours: pair.ours, theirs: { ...pair.theirs, tagged: true } } : pair),
  },
  {
    reason: 'The list of methods is nothing to keep, so that it has no entity tag',
    where: /^OPTIONS /,
    even: (pair) => ({ ours: pair.ours, theirs: { ...pair.theirs, tagged: pair.ours.tagged } }),
  },

  // Authentication.
  {
    reason: 'Decision 14: without adminAuth the token endpoint is 404 with an OAuth error',
    where: /^POST \/auth\/token/i,
    even: (pair) =>
      pair.ours.status === 404 && pair.ours.body?.error === 'not_found'
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },
  answered(
    200,
    'Decision 14: without adminAuth there is nothing to revoke, which is a success',
    /^POST \/auth\/revoke/,
    404,
  ),
  {
    reason: 'Decision 9: the labels are words, where the peer sends keys of its catalogue',
    where: /^GET \/auth\/login/i,
    even: bodies((body) => without(body, 'label')).of,
  },
  {
    reason: 'Decision 4: 401 has no body',
    where: /./,
    even: (pair) =>
      pair.ours.status === 401 &&
      pair.theirs.status === 401 &&
      pair.ours.body === '' &&
      pair.theirs.body === 'Unauthorized'
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },
  {
    reason: 'Decision 10: a failed log-in is 401 without a body, where the peer says 403',
    where: /^POST \/auth\/token/i,
    even: (pair) =>
      pair.ours.status === 401 && pair.theirs.status === 403
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },
  answered(400, 'Decision 10: another grant type is 400', /^POST \/auth\/token/, 501),
  answered(400, 'Decision 10: a missing client id is a missing field', /^POST \/auth\/token/, 401),
  {
    reason: 'Decision 3: words of OAuth errors are our own',
    where: /^POST \/auth\/token/i,
    even: (pair) =>
      pair.theirs.body?.error_description
        ? bodies((body) => ({ ...body, error_description: typeof body.error_description })).of(pair)
        : pair,
  },

  // Flows.
  {
    reason: 'Flows that are no array have a code of their own',
    where: /^POST \/flows/i,
    even: (pair) =>
      pair.ours.status === 400 && pair.ours.body?.code === 'invalid_flow' && pair.theirs.status === 400
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },
  answered(
    400,
    'A tab whose nodes are no array is refused, where the peer stores one without nodes',
    /^POST \/flow$/,
    200,
  ),

  // Modules.
  {
    reason: 'Specification, Node Set object: `loaded` is always there',
    where: /^(GET|PUT) \/(nodes|plugins)/i,
    even: bodies((body) => without(body, 'loaded')).of,
  },
  {
    reason: 'The set that the peer answers with when it disables one lacks its version',
    where: /^PUT \/nodes/i,
    even: bodies((body) => without(body, 'version')).of,
  },
  {
    reason: 'Decision 21: the error of a set is always a text',
    where: /^GET \/nodes/i,
    even: bodies((body) => without(body, 'err')).of,
  },
  answered(
    200,
    'Texts are given in the default language where none is named',
    /^GET \/nodes\/.*\/messages$/,
    400,
  ),
  answered(404, 'What follows /nodes/messages is no part of its path', /^GET \/nodes\/messages\/x/i, 400),
  {
    reason: 'A set without help has none, where the peer appends the word null',
    where: /^GET \/nodes\/@acme\/surf\/surf$/i,
    even: ({ ours, theirs }) => ({
      ours,
      theirs: {
        ...theirs,
        body: typeof theirs.body === 'string' ? theirs.body.replace(/null$/, '') : theirs.body,
      },
    }),
  },
  {
    reason: 'A name that is empty is a bad name',
    where: /^POST \/nodes/i,
    even: (pair) =>
      pair.ours.body?.code === 'invalid_module_name' && pair.theirs.body?.code === 'invalid_request'
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },

  // Settings.
  {
    reason: 'Our own version stands beside that of the peer whose interfaces are spoken',
    where: /^GET \/settings/i,
    even: bodies((body) => without(body, 'sluiceVersion', 'sluice')).of,
  },
  {
    reason:
      'The editor is told the defaults of its looks, which it takes when it is told none; tours and editing together are off',
    where: /^GET \/settings/i,
    even: ({ ours, theirs }) => {
      const { codeEditor, editorTheme, ...rest } = ours.body ?? {};
      if (codeEditor === undefined || theirs.body?.codeEditor !== undefined) return { ours, theirs };
      const { palette, multiplayer, projects, tours, ...others } = editorTheme;
      return { ours: { ...ours, body: { ...rest, editorTheme: others } }, theirs };
    },
  },
  answered(400, 'User settings are an object', /^POST \/settings\/user/, 204),
  answered(404, 'There are no projects, and so no keys', /^\w+ \/settings\/user\/keys/, 400),
  {
    reason: 'There are no projects: the error has a body',
    where: /^\w+ \/projects/i,
    even: (pair) =>
      pair.theirs.status === 404 && pair.ours.status === 404
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },

  // Context, library.
  answered(
    404,
    'To delete a key that is not named is refused, whether there is such a node or not',
    /^DELETE \/context\/node\/x\/$/,
    204,
  ),
  {
    reason:
      'Decision 3: no error of the system reaches a client, so that what is not there is unexpected_error',
    where: /^GET \/library\/local/i,
    even: (pair) =>
      pair.theirs.body?.code === 'ENOENT' && pair.ours.status === 400
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },

  {
    reason: 'Modules with examples are listed in the order in which they were loaded',
    where: /^GET \/library\/examples\/\w+\/$/i,
    even: bodies((body) => (Array.isArray(body) ? body.toSorted() : body)).of,
  },

  // The editor's own files.
  {
    reason: 'The page has our name',
    where: /^(GET|HEAD) \/(\?.*)?$/i,
    even: bodies(() => 'a page').of,
  },
  {
    reason: 'Our name and our images',
    where: /^GET \/theme/i,
    even: bodies((body) => without(body, 'page', 'header', 'asset', 'login')).of,
  },
  {
    reason: 'An icon whose name leaves its folder is the default one, as any that is not there',
    where: /^GET \/icons\/.*%2f/i,
    even: (pair) =>
      pair.ours.status === 200 && pair.theirs.status === 400
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },
  {
    reason: 'A language that there is not is given the texts of the default one',
    where: /^GET \/locales\/editor\?lng=(xx|\.\.%2f)/i,
    even: (pair) =>
      pair.ours.body?.common !== undefined && Object.keys(pair.theirs.body).length === 0
        ? { ours: pair.theirs, theirs: pair.theirs }
        : pair,
  },
  {
    reason: 'The texts of the runtime are our own, and no client reads them',
    where: /^GET \/locales\/runtime/i,
    even: bodies(() => 'texts').of,
  },
  answered(400, "Decision 5: a path that can't be parsed is 400", /^GET \/(red|resources)\/.*%/, 404),
  {
    reason: 'The registered media type of .ico files',
    where: /^GET \/favicon.ico/i,
    even: (pair) => ({ ours: { ...pair.ours, type: 'icon' }, theirs: { ...pair.theirs, type: 'icon' } }),
  },

  // The report.
  {
    reason:
      'Specification, GET /diagnostics and decision 23: every field is there with its type; the values are those of two processes',
    where: /^GET \/diagnostics/i,
    even: bodies((body) => Object.keys(body)).of,
  },
];
