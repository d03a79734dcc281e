import { ModuleProvider, Modules } from '@medusajs/framework/utils'
import { ManillaProvider } from './provider.js'

export { type ManillaOptions, ManillaProvider } from './provider.js'

export default ModuleProvider(Modules.PAYMENT, { services: [ManillaProvider] })
