import {
  buildSchema,
  GraphQLInt,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLSchema,
  GraphQLString,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { snakeCase, toRestSchema } from '../../../src/rest/rest-schema.ts';

const Room = new GraphQLObjectType({
  name: 'LivingRoom',
  fields: {
    doorCount: { type: GraphQLInt },
    wallColour: { type: GraphQLString, resolve: ({ wallColour }) => `${wallColour}!` },
    asked: { type: GraphQLString },
  },
});

const schema = new GraphQLSchema({
  query: new GraphQLObjectType({
    name: 'Query',
    fields: {
      livingRoom: {
        type: Room,
        args: { roomId: { type: new GraphQLNonNull(GraphQLInt) }, floorName: { type: GraphQLString } },
        resolve: (_root, args) => ({ doorCount: 2, wallColour: 'white', asked: JSON.stringify(args) }),
      },
      roomCount: { type: GraphQLInt },
    },
  }),
});

describe('snakeCase', () => {
  it.each([
    ['id', 'id'],
    ['keyId', 'key_id'],
    ['isActive', 'is_active'],
    ['sessionDurationMax', 'session_duration_max'],
    ['already_so', 'already_so'],
    ['v2Key', 'v2_key'],
  ])('%s → %s', (name, expected) => {
    expect(snakeCase(name)).toBe(expected);
  });
});

describe('toRestSchema', () => {
  it('renames fields and arguments, but neither types nor root fields', () => {
    expect(printSchema(toRestSchema(schema))).toBe(`type Query {
  livingRoom(room_id: Int!, floor_name: String): LivingRoom
  roomCount: Int
}

type LivingRoom {
  door_count: Int
  wall_colour: String
  asked: String
}`);
  });

  it('turns a connection into a list, and removes the types of connections', () => {
    const connections = buildSchema(`
      type Room { doorCount: Int }
      type RoomEdge { cursor: String!, node: Room! }
      type RoomConnection { edges: [RoomEdge!]!, pageInfo: PageInfo! }
      type PageInfo { hasNextPage: Boolean!, endCursor: String }
      type Listing { edges: [Room!]!, first: Int }
      type Query {
        rooms(before: String, after: String, first: Int, last: Int, isOpen: Boolean): RoomConnection!
        listing(after: String, first: Int): Listing
      }
    `);
    const { rooms, listing } = toRestSchema(connections).getQueryType()?.getFields() ?? {};
    const args = (field: typeof rooms) => field?.args.map(({ name, type }) => `${name}: ${type}`);
    expect([String(rooms?.type), args(rooms)]).toEqual([
      '[Room!]!',
      ['limit: Int', 'cursor: String', 'is_open: Boolean'],
    ]);
    expect([String(listing?.type), args(listing)]).toEqual(['Listing', ['after: String', 'first: Int']]);
    const types = Object.keys(toRestSchema(connections).getTypeMap());
    expect(types.filter((name) => /Room|Page|Listing/.test(name))).toEqual(['Room', 'Listing']);
  });

  it('does not change the given schema', () => {
    const before = printSchema(schema);
    toRestSchema(schema);
    expect(printSchema(schema)).toBe(before);
  });
});
