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
  return `# \`npm start\` needs none of these. In production, set them in your process manager, or in \`.env\` for compose.yaml; the
# service itself reads no file. Generated from src/base/config.ts by \`npm run generate\`.

# Required. compose.yaml sets DATABASE_URL; create the secret with \`openssl rand -hex 32\` and keep a copy.

${entry('DATABASE_URL')}
# ${schemas.MANILLA_SECRET!.description}
MANILLA_SECRET=

# For compose.yaml only.

${compose.join('\n')}

# Optional, with their defaults.

${others.map(entry).join('\n')}
`
}
