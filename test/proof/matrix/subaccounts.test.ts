import { subaccountPaths } from './paths/subaccounts.js'
import { testPaths } from './test-paths.js'

testPaths('subaccounts', subaccountPaths)
