import { webhooks } from './paths/webhooks.js'
import { testPaths } from './test-paths.js'

testPaths('webhooks', webhooks)
