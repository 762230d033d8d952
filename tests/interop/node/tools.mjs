// The tools that every driver declares, as JSON Schemas.
const text = { type: "string" };
const object = (properties, required) => ({ type: "object", properties, required, additionalProperties: false });

const SCHEMAS = {
  get_weather: object({ city: text }, ["city"]),
  search: object({ query: text, limit: { type: "integer" } }, ["query"]),
  now: object({}, []),
  write_file: object({ path: text, content: text }, ["path", "content"]),
};

export const TOOLS = Object.entries(SCHEMAS).map(([name, schema]) => {
  return { name, description: `The tool ${name}.`, schema };
});
