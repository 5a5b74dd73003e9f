import { type DocumentNode, execute, GraphQLSchema, parse, validate } from 'graphql';
import { createSchema } from 'graphql-yoga';
import { describe, expect, it } from 'vitest';
import { toRestSchema } from '../../../src/rest/rest-schema.ts';
import { toGraphqlDocument } from '../../../src/rest/sofa.ts';

const rooms = [
  { doorCount: 2, wallColour: 'white', inner: { doorCount: 1, wallColour: 'red' } },
  { doorCount: 3, wallColour: 'blue' },
];

const schema = createSchema({
  typeDefs: `
    type Room { doorCount: Int, wallColour: String, inner: Room }
    type RoomEdge { cursor: String!, node: Room! }
    type RoomConnection { edges: [RoomEdge!]!, pageInfo: PageInfo! }
    type PageInfo { hasNextPage: Boolean!, endCursor: String }
    type Query {
      livingRoom(roomId: Int!, floorName: String): Room
      asked(roomId: Int!, floorName: String): String
      openRooms(first: Int, after: String, isOpen: Boolean): RoomConnection!
      roomCount: Int
    }
  `,
  resolvers: {
    Room: { wallColour: ({ wallColour }) => `${wallColour}!` },
    Query: {
      livingRoom: () => rooms[0],
      asked: (_root, args) => JSON.stringify(args),
      openRooms: (_root, { first, after, isOpen }) => ({
        edges: rooms.slice(0, first).map((node) => ({ cursor: 'c', node })),
        pageInfo: { hasNextPage: isOpen, endCursor: after },
      }),
      roomCount: () => 3,
    },
  },
});
const restSchema = toRestSchema(schema);

/** Runs a REST operation on the schema itself. */
function run(source: string, variableValues: Record<string, unknown> = {}) {
  const asked = parse(source);
  expect(validate(restSchema, asked)).toEqual([]);
  const document: DocumentNode = toGraphqlDocument(asked, restSchema, schema);
  expect(validate(schema, document)).toEqual([]);
  return JSON.parse(JSON.stringify(execute({ schema, document, variableValues })));
}

describe('toGraphqlDocument', () => {
  it("results have REST's names at every depth", () => {
    const source =
      '{ livingRoom(room_id: 5) { door_count wall_colour inner { door_count wall_colour } } roomCount }';
    expect(run(source)).toEqual({
      data: {
        livingRoom: { door_count: 2, wall_colour: 'white!', inner: { door_count: 1, wall_colour: 'red!' } },
        roomCount: 3,
      },
    });
  });

  it('passes on exactly the given variables, null included', () => {
    const source = 'query Q($room: Int!, $floor: String) { asked(room_id: $room, floor_name: $floor) }';
    expect(run(source, { room: 5, floor: null })).toEqual({
      data: { asked: '{"roomId":5,"floorName":null}' },
    });
    expect(run(source, { room: 5 })).toEqual({ data: { asked: '{"roomId":5}' } });
  });

  it('a list → asks its connection for the nodes and the page info', () => {
    const source = `query Q($limit: Int, $cursor: String, $is_open: Boolean) {
      openRooms(limit: $limit, cursor: $cursor, is_open: $is_open) { door_count wall_colour }
    }`;
    expect(run(source, { limit: 1, cursor: 'b', is_open: true })).toEqual({
      data: {
        openRooms: {
          edges: [{ node: { door_count: 2, wall_colour: 'white!' } }],
          pageInfo: { hasNextPage: true, endCursor: 'b' },
        },
      },
    });
  });

  it('refuses a field that the schema does not have', () => {
    const other = new GraphQLSchema({ query: null });
    expect(() => toGraphqlDocument(parse('{ roomCount }'), restSchema, other)).toThrow('Query.roomCount');
  });
});
