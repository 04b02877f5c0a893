/** A strategy of Passport, as packages publish them: an object whose `authenticate` ends in one of five ways. */
export interface Strategy {
  authenticate(request: object, options: object): void;
}

/** How a strategy ended. */
export type Outcome =
  | { readonly is: 'user'; readonly user: unknown }
  | { readonly is: 'failed'; readonly message: string | undefined }
  | { readonly is: 'redirect'; readonly url: string; readonly status: number };

const patienceMs = 30_000;

/**
 * Has a strategy look at a request.
 * @remarks Each run is on an object of its own that inherits from the strategy, as strategies expect.
 * @throws whatever the strategy throws or reports; Error where it does not end in time
 */
export function runStrategy(strategy: Strategy, request: object, options: object): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`the strategy did not end within ${patienceMs} ms`)),
      patienceMs,
    );
    const end = (outcome: Outcome): void => {
      clearTimeout(timer);
      resolve(outcome);
    };
    const fail = (error: unknown): void => {
      clearTimeout(timer);
      reject(error);
    };
    const run: Strategy = Object.assign(Object.create(strategy), {
      success: (user: unknown) => end({ is: 'user', user }),
      fail: (challenge: unknown) => end({ is: 'failed', message: wordsOf(challenge) }),
      redirect: (url: unknown, status: unknown) =>
        end({ is: 'redirect', url: String(url), status: typeof status === 'number' ? status : 302 }),
      pass: () => end({ is: 'failed', message: undefined }),
      error: fail,
    });
    try {
      const ended: unknown = run.authenticate(request, options);
      // Some are asynchronous, though none is asked to be.
      if (ended instanceof Promise) ended.catch(fail);
    } catch (error) {
      fail(error);
    }
  });
}

/** A challenge is a text or `{ message }`; a number is a status. */
function wordsOf(challenge: unknown): string | undefined {
  const { message } = Object(challenge) as { message?: unknown };
  if (typeof message === 'string') return message;
  return typeof challenge === 'string' ? challenge : undefined;
}
