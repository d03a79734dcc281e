import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawField } from '../../src/api/edge/raw-field.js'

test.each([
  ['{"metadata":{"2":1,"1":2}}', '{"2":1,"1":2}'],
  [
    '{ "a" : {"metadata": 1}, "metadata" : { "b" : [ 1.0, "x , }" ] } , "c":2}',
    '{"b":[1.0,"x , }"]}',
  ],
  ['{"a":"metadata","metadata":{}}', '{}'],
  [
    '{"a":["metadata",{"metadata":3}],"meta\\u0064ata":{"k":"\\"metadata\\":"}}',
    '{"k":"\\"metadata\\":"}',
  ],
  ['{"a":1}', undefined],
  ['{"a":{"metadata":{}}}', undefined],
])('the field of %s', (text, expected) => {
  expect(rawField(text, 'metadata')).toBe(expected)
})

// Surroundings and formatting do not change the field.
test('is the field, in any document', () => {
  fc.assert(
    fc.property(fc.object(), fc.object(), fc.nat({ max: 4 }), (before, metadata, blanks) => {
      const document = { ...(JSON.parse(JSON.stringify(before)) as object), metadata }
      const text = JSON.stringify(document, null, blanks)
      const raw = rawField(text, 'metadata')
      expect(raw).toBe(JSON.stringify(JSON.parse(text).metadata))
    }),
  )
})
