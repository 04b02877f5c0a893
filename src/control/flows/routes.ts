import type { FastifyRequest, FastifySchemaCompiler } from 'fastify';
import { ErrorBody, noBody } from '../../contract/bodies.ts';
import { AppError } from '../../contract/errors.ts';
import {
  DeployAnswer,
  DeployBody,
  DeployHeaders,
  type DeployMode,
  deployModes,
  FlowItem,
  FlowStateBody,
  FlowsBody,
  FlowsHeaders,
  type FlowsVersion,
  flowsVersions,
} from '../../contract/flows.ts';
import { isObject } from '../../contract/json.ts';
import { Type } from '../../contract/schema.ts';
import { acceptJson } from '../http/bodies.ts';
import { hasTag } from '../http/entity-tag.ts';
import type { Feature } from '../http/feature.ts';
import { FlowAnswers } from './answers.ts';
import { parseDeployBody } from './deploy-body.ts';
import type { DeployRequest, FlowsService } from './service.ts';

/** What the routes need. */
export interface FlowRoutesDeps {
  readonly flows: FlowsService;
  /** The setting: whether flows can be stopped and started. Without it there is no such route. */
  readonly runtimeState: { readonly enabled: boolean };
}

/**
 * For routes whose body is checked by its owner, which names the item and not only its place: the schema is for the
 * API document.
 */
export const checkedElsewhere: FastifySchemaCompiler<unknown> = () => (value) => ({ value });

/** `/flows` and `/flows/state`. */
export const flowsRoutes =
  ({ flows, runtimeState }: FlowRoutesDeps): Feature =>
  async (app) => {
    const answers = new FlowAnswers();
    acceptJson(app, (bytes, parse) => parseDeployBody(bytes, flows.serialised, parse));

    app.get(
      '/flows',
      {
        schema: {
          headers: FlowsHeaders,
          response: {
            200: Type.Union([Type.Array(FlowItem), FlowsBody]),
            304: noBody('Not changed since the ETag sent'),
            400: ErrorBody,
            401: noBody('Not authorized'),
          },
        },
        validatorCompiler: checkedElsewhere,
        config: { needs: 'flows.read', summary: 'The flows' },
      },
      async (request, reply) => {
        const version = versionOf(request);
        const { serialised } = flows;
        const etag = `W/"${serialised.rev}-${version}"`;
        reply.header('etag', etag);
        if (hasTag(request.headers['if-none-match'], etag)) return reply.code(304).send(null);
        // Bytes that are JSON already pass the serialiser by.
        return reply.type('application/json; charset=utf-8').send(answers.body(serialised, version) as never);
      },
    );

    app.post(
      '/flows',
      {
        schema: {
          headers: DeployHeaders,
          body: Type.Union([Type.Array(FlowItem), DeployBody]),
          response: {
            200: DeployAnswer,
            204: noBody('Deployed (version 1)'),
            400: ErrorBody,
            401: noBody('Not authorized'),
            409: ErrorBody,
            503: ErrorBody,
          },
        },
        validatorCompiler: checkedElsewhere,
        config: { needs: 'flows.write', summary: 'Deploys flows' },
      },
      async (request, reply) => {
        const version = versionOf(request);
        const mode = modeOf(request);
        const rev = await (mode === 'reload'
          ? flows.reload()
          : flows.deploy(deployOf(request.body, version, mode)));
        if (version === 'v2') return { rev };
        return reply.code(204).send(null);
      },
    );

    app.get(
      '/flows/state',
      {
        schema: { response: { 200: FlowStateBody, 401: noBody('Not authorized') } },
        config: { needs: 'flows.read', summary: 'Whether the flows run' },
      },
      () => ({ state: flows.state }),
    );

    if (!runtimeState.enabled) return;
    app.post(
      '/flows/state',
      {
        schema: {
          body: Type.Object({ state: Type.Union([Type.Literal('start'), Type.Literal('stop')]) }),
          response: { 200: FlowStateBody, 400: ErrorBody, 401: noBody('Not authorized'), 503: ErrorBody },
        },
        validatorCompiler: checkedElsewhere,
        config: { needs: 'flows.write', summary: 'Starts or stops the flows' },
      },
      async (request) => {
        const { state } = isObject(request.body) ? request.body : {};
        if (state !== 'start' && state !== 'stop') throw new AppError('invalid_run_state');
        return { state: await flows.setState(state) };
      },
    );
  };

function versionOf(request: FastifyRequest): FlowsVersion {
  // An empty header is no header, as in the peer.
  const header = request.headers['node-red-api-version'] || 'v1';
  const version = flowsVersions.find((one) => one === header);
  if (version === undefined) throw new AppError('invalid_api_version');
  return version;
}

/** An unknown word means everything, as in the peer. */
function modeOf(request: FastifyRequest): DeployMode {
  const header = request.headers['node-red-deployment-type'];
  return deployModes.find((one) => one === header) ?? 'full';
}

function deployOf(body: unknown, version: FlowsVersion, mode: DeployRequest['mode']): DeployRequest {
  if (version === 'v1') return { flows: body, mode };
  if (!isObject(body))
    throw new AppError('invalid_flow', { detail: 'Invalid flows: the body must be an object with flows' });
  const { flows, rev, credentials } = body;
  // Null is the revision of nothing: only a body without the field forces the deploy.
  if (rev === null) throw new AppError('version_mismatch');
  if (rev !== undefined && typeof rev !== 'string') {
    throw new AppError('invalid_request', { detail: 'Field "rev" must be a string' });
  }
  return { flows, mode, credentials, ...(typeof rev === 'string' ? { rev } : {}) };
}
