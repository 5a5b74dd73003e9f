import { buildSchema, type GraphQLFieldResolver, type GraphQLScalarType, type GraphQLSchema } from 'graphql';
import { createYoga, type Plugin } from 'graphql-yoga';
import { pino } from 'pino';
import { z } from 'zod';
import type { WithAccessToken } from '../../../src/auth/caller.ts';
import { loadConfig } from '../../../src/config/load-config.ts';
import { badUserInput, GatewayError, toGatewayError } from '../../../src/errors.ts';
import { schema as gatewaySchema } from '../../../src/gateway/schema.ts';
import { answerGraphql } from '../../../src/graphql/answer-graphql.ts';
import { maskError } from '../../../src/graphql/graphql-errors.ts';
import { useInputErrors } from '../../../src/graphql/input-errors.ts';
import { createPipeline, useExecutor } from '../../../src/graphql/run-operation.ts';
import { beginExchange, compose, route } from '../../../src/http/exchange.ts';
import { guard, Load } from '../../../src/http/load.ts';
import { parseInput } from '../../../src/operations/operation.ts';
import { answerRest } from '../../../src/rest/answer-rest.ts';
import type { Routes } from '../../../src/rest/routes.ts';
import { createSofa } from '../../../src/rest/sofa.ts';
import { toIncoming, toResponse } from '../../support/fetch-gateway.ts';

const sdl = `
  scalar DateTime
  "A room."
  type Room { id: Int!, doorCount: Int!, owner: Owner!, builtAt: DateTime }
  "An owner."
  type Owner { fullName: String! }
  type RoomEdge { cursor: String!, node: Room! }
  type RoomConnection { edges: [RoomEdge!]!, pageInfo: PageInfo! }
  type PageInfo { hasNextPage: Boolean!, hasPreviousPage: Boolean!, startCursor: String, endCursor: String }
  type Query {
    "Lists rooms."
    rooms(
      before: String, after: String, last: Int,
      "How many at most." first: Int,
      isOpen: Boolean, ownerName: String, builtAfter: DateTime
    ): RoomConnection!
    room(roomId: Int!): Room!
    defaultRoom: Room
    "Counts rooms."
    roomCount(isOpen: Boolean): Int!
    "When the last one was built."
    lastBuiltAt: DateTime
    echo(count: Int, mustHave: Boolean!): Room!
  }
  type Mutation {
    createRoom(name: String, builtAt: DateTime): Room!
    renameRoom(roomId: Int!, name: String!): Room!
    setDefaultRoom(roomId: Int!): Room!
    removeRooms: Room!
    "Closes all."
    closeRooms: Boolean!
  }
`;

export const routes: Routes = {
  rooms: { method: 'GET', path: '/rooms' },
  room: { method: 'GET', path: '/rooms/{room_id}' },
  defaultRoom: { method: 'GET', path: '/rooms/default' },
  roomCount: { method: 'GET', path: '/rooms/count' },
  lastBuiltAt: { method: 'GET', path: '/rooms/last-built-at' },
  echo: { method: 'GET', path: '/echo' },
  createRoom: { method: 'POST', path: '/rooms', created: '/rooms/{id}' },
  renameRoom: { method: 'PATCH', path: '/rooms/{room_id}' },
  setDefaultRoom: { method: 'PUT', path: '/rooms/{room_id}/default' },
  removeRooms: { method: 'DELETE', path: '/rooms' },
  closeRooms: { method: 'POST', path: '/rooms/close' },
};

const room = (id: number) => ({ id, doorCount: 2, owner: { fullName: 'Ada L.' }, builtAt: null });
const name = z.object({ name: z.string().max(5, 'At most 5.').nullish() }).loose();
const rooms = [1, 2, 3, 4, 5].map(room);

/** Rooms after a cursor, as a relay connection. */
const listRooms = ({ first, after }: { first?: number; after?: string }) => {
  if (first !== undefined && first > 50)
    throw badUserInput([{ path: ['first'], message: 'At most 50.', type: 'less_than_equal' }]);
  if (after === 'bad') throw badUserInput([{ path: ['after'], message: 'No cursor.', type: 'value_error' }]);
  const start = after === undefined ? 0 : Number(after.replace('after ', ''));
  const page = rooms.slice(start, start + (first ?? 2));
  const last = page.at(-1);
  const edges = page.map((node) => ({ cursor: `after ${node.id}`, node }));
  const endCursor = last ? `after ${last.id}` : null;
  return {
    edges,
    pageInfo: {
      hasNextPage: last !== undefined && last.id < rooms.length,
      hasPreviousPage: start > 0,
      endCursor,
    },
  };
};

/** A small schema of every shape that REST knows, and what each of its operations was given. */
export function createSampleSchema(): { schema: GraphQLSchema; given: unknown[] } {
  const schema = buildSchema(sdl);
  const given: unknown[] = [];
  const { serialize, parseValue, parseLiteral } = gatewaySchema.getType('DateTime') as GraphQLScalarType;
  Object.assign(schema.getType('DateTime') as object, { serialize, parseValue, parseLiteral });
  const fields = { ...schema.getQueryType()?.getFields(), ...schema.getMutationType()?.getFields() };
  const resolve = (field: string, run: (args: never) => unknown) => {
    const resolver: GraphQLFieldResolver<unknown, unknown> = (_root, args) => {
      given.push(args);
      return run(args as never);
    };
    Object.assign(fields[field] as object, { resolve: resolver });
  };
  resolve('rooms', (args) => listRooms(args));
  resolve('room', ({ roomId }: { roomId: number }) => {
    if (roomId > 5) throw new GatewayError('NOT_FOUND', 'Room not found');
    return room(roomId);
  });
  resolve('defaultRoom', () => null);
  resolve('roomCount', ({ isOpen }: { isOpen?: boolean }) => (isOpen ? 0 : rooms.length));
  resolve('lastBuiltAt', () => null);
  resolve('closeRooms', () => true);
  resolve('echo', () => room(1));
  resolve('createRoom', (args) => ({ ...room(7), ...(parseInput(name, args) as object) }));
  resolve('renameRoom', (args) => {
    parseInput(name, args);
    return room(1);
  });
  resolve('setDefaultRoom', () => {
    throw new GatewayError('CONFLICT', 'The room is closed');
  });
  resolve('removeRooms', () => room(1));
  const [first] = fields['rooms']?.args.filter((argument) => argument.name === 'first') ?? [];
  Object.assign(first?.extensions as object, { example: 10 });
  Object.assign(fields['roomCount']?.extensions as object, { example: 5 });
  Object.assign(fields['setDefaultRoom']?.extensions as object, { errors: ['CONFLICT'] });
  return { schema, given };
}

const useSomebody = (): Plugin<WithAccessToken> => ({
  onContextBuilding: ({ extendContext }) =>
    extendContext({ accessToken: { issuer: 'i', subject: 's', scopes: new Set(), expiresAt: 0 } }),
});

/** The sample schema on both transports; everybody is signed in. */
export async function createSampleGateway() {
  const { schema, given } = createSampleSchema();
  const sofa = createSofa(schema, routes);
  const plugins = [useSomebody(), useInputErrors(), useExecutor(sofa.compiled)];
  const steps = plugins.map((plugin) => ({ plugin, onlyYoga: { onResultProcess: 'REST answers itself' } }));
  const yoga = createYoga({
    schema,
    logging: false,
    maskedErrors: { maskError, errorMessage: 'Internal Server Error' },
    plugins,
  });
  const handle = compose(
    [guard(new Load(100, pino({ level: 'silent' })), toGatewayError)],
    route([
      [
        '/api/v1/',
        answerRest(createPipeline(steps), {
          sofa,
          checkOwned: (_context, _keyId, check) => check(),
          issuer: 'https://issuer.test/',
          settings: loadConfig({}),
        }),
      ],
      ['/graphql', answerGraphql(yoga, () => undefined, 64 * 1024)],
    ]),
  );
  const send = async (path: string, init?: RequestInit) => {
    const request = new Request(`http://sample.test${path}`, init);
    const response = await toResponse(request, await handle(beginExchange(await toIncoming(request), null)));
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, body: text && JSON.parse(text) };
  };
  const json = (body: unknown) => ({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const rest = (method: string, path: string, body?: unknown) =>
    send(`/api/v1${path}`, { method, ...(body !== undefined && json(body)) });
  const graphql = (query: string, variables?: object) =>
    send('/graphql', { method: 'POST', ...json({ query, variables }) });
  return { rest, graphql, given };
}
