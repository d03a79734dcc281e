import Type, { type TProperties } from 'typebox'

/** Its title names it where documents refer to it, and in the types of clients. */
export const resource = <Properties extends TProperties>(title: string, properties: Properties) =>
  Object.assign(Type.Object(properties), { title })
