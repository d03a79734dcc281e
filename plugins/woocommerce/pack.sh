#!/bin/sh
# Writes the plug-in with the SDK within: sh plugins/woocommerce/pack.sh <folder> makes <folder>/manilla-woocommerce.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
target="$1/manilla-woocommerce"
rm -rf "$target"
mkdir -p "$target/sdk"
cp -R "$here/manilla-woocommerce.php" "$here/uninstall.php" "$here/README.md" "$here/src" "$here/assets" "$target"
cp -R "$here/../../sdks/php/autoload.php" "$here/../../sdks/php/LICENSE" "$here/../../sdks/php/src" "$target/sdk"
echo "$target"
