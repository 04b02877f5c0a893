import { createRequire } from 'node:module';
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import { AppError } from '../../contract/errors.ts';

const require = createRequire(import.meta.url);

/** Parts of a request as its sender knows them. */
const partNames: { readonly [httpPart: string]: string } = {
  body: 'The body',
  querystring: 'The query',
  params: 'The path',
  headers: 'The headers',
};

/**
 * Compiles request schemas when a request first needs them, so that the start pays neither for Ajv nor for the routes
 * that nobody calls.
 * @remarks Nothing is coerced and nothing is removed: a field of the wrong type is refused, an unknown one is ignored
 * (decision 6). The error is an `AppError` `invalid_request` that names the field and what was expected.
 */
export function lazyValidators(): FastifySchemaCompiler<object> {
  let ajv: Ajv | undefined;
  return ({ schema, httpPart }) => {
    let validate: ValidateFunction | undefined;
    return (value: unknown) => {
      ajv ??= createAjv();
      validate ??= ajv.compile(schema);
      if (validate(value)) return { value };
      return { error: invalidRequest(validate.errors ?? [], httpPart ?? 'body') };
    };
  };
}

/** Compiles response schemas when a response first needs them. Fields that a schema does not name are left out. */
export function lazySerializers(): FastifySerializerCompiler<object> {
  let build: typeof import('fast-json-stringify') | undefined;
  return ({ schema }) => {
    let serialize: ((value: unknown) => string) | undefined;
    return (value: unknown) => {
      build ??= require('fast-json-stringify') as typeof import('fast-json-stringify');
      serialize ??= build(schema as Parameters<typeof build>[0]);
      return serialize(value);
    };
  };
}

function createAjv(): Ajv {
  const { Ajv: AjvClass } = require('ajv') as typeof import('ajv');
  return new AjvClass({ useDefaults: true, addUsedSchema: false, validateSchema: false, strict: false });
}

/** Words such as: Field "flows[3].id" must be a string. */
function invalidRequest(errors: readonly ErrorObject[], httpPart: string): AppError {
  // A path that names nothing that could be there.
  if (httpPart === 'params') return new AppError('not_found');
  const [error] = errors;
  const part = partNames[httpPart] ?? 'The request';
  if (error === undefined) return new AppError('invalid_request', { detail: `${part} is not valid` });
  const path = fieldName(error.instancePath);
  if (error.keyword === 'required') {
    const missing = String(error.params['missingProperty']);
    return new AppError('invalid_request', {
      detail: `Field "${path === '' ? missing : `${path}.${missing}`}" is missing`,
    });
  }
  const subject = path === '' ? part : `Field "${path}"`;
  // The branches of a union are told one by one, at the same place.
  const every = errors.at(-1)?.keyword === 'anyOf' ? errors.slice(0, -1) : [error];
  // Of a branch that is one value, its type tells nothing more.
  const branches = every.filter(
    ({ keyword, schemaPath }) =>
      keyword !== 'type' || !every.some((one) => one.schemaPath === schemaPath.replace(/type$/, 'const')),
  );
  const expectations = branches
    .filter((branch) => branch.instancePath === error.instancePath)
    .map((branch, index) =>
      index === 0 ? expectation(branch) : expectation(branch).replace(/^must be /, ''),
    );
  return new AppError('invalid_request', { detail: `${subject} ${expectations.join(' or ')}` });
}

function expectation(error: ErrorObject): string {
  switch (error.keyword) {
    case 'type': {
      const types = [error.params['type']].flat().map(String);
      return `must be ${types.map((type) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`)).join(' or ')}`;
    }
    case 'enum':
      return `must be one of ${(error.params['allowedValues'] as unknown[]).map((value) => JSON.stringify(value)).join(', ')}`;
    case 'const':
      return `must be ${JSON.stringify(error.params['allowedValue'])}`;
    case 'minLength':
      return error.params['limit'] === 1 ? 'must not be empty' : (error.message ?? 'is too short');
    default:
      return error.message ?? 'is not valid';
  }
}

/** `/flows/3/id` → `flows[3].id` */
function fieldName(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce((name, step) => {
      if (/^\d+$/.test(step)) return `${name}[${step}]`;
      return name === '' ? step : `${name}.${step}`;
    }, '');
}
