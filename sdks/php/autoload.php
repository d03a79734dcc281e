<?php

declare(strict_types=1);

/** Loads the classes of Manilla on hosts without Composer: `require 'manilla-php/autoload.php';` */
spl_autoload_register(static function (string $class): void {
    if (!str_starts_with($class, 'Manilla\\')) {
        return;
    }
    $file = __DIR__ . '/src/' . strtr(substr($class, strlen('Manilla\\')), '\\', '/') . '.php';
    if (is_file($file)) {
        require $file;
    }
});
