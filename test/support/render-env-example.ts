import { variables } from '../../src/base/config.js'

type Schema = { default?: unknown; description: string }

/** Required variables; all others have defaults. */
const required = ['DATABASE_URL', 'MANILLA_SECRET']

/** Only compose.yaml reads them. */
export const composeVariables = {
  POSTGRES_PASSWORD: 'Password of the database that compose.yaml runs; `openssl rand -hex 32`.',
}

/** .env.example, from the schema that reads the variables. */
export function renderEnvExample(): string {
  const names = Object.keys(variables.properties)
  const schemas = variables.properties as object as Record<string, Schema>
  const entry = (name: string) => {
    const { default: value, description } = schemas[name]!
    return `# ${description}\n#${name}=${value ?? ''}`
  }
  const compose = Object.entries(composeVariables).map(
    ([name, description]) => `# ${description}\n${name}=`,
  )
  const others = names.filter((name) => !required.includes(name))
  return `# Nothing of this is needed for \`npm start\`. In production your process manager sets these, or compose.yaml, which
# reads them from \`.env\`; the service reads no file by itself. Written from src/base/config.ts by \`npm run generate\`.

# Required. compose.yaml sets DATABASE_URL itself; make the secret with \`openssl rand -hex 32\` and keep a copy.

${entry('DATABASE_URL')}
# ${schemas.MANILLA_SECRET!.description}
MANILLA_SECRET=

# For compose.yaml alone.

${compose.join('\n')}

# With their defaults, where they have one.

${others.map(entry).join('\n')}
`
}
