export { Screen } from '../not-built'
