<?php

declare(strict_types=1);

namespace Manilla;

/**
 * Something that the service answered. Fields that are new in the service are in `raw()`. A field that
 * an older service does not send yet is not initialized: check it with `isset()`.
 */
abstract class Model implements \JsonSerializable
{
    /** @internal */
    public function __construct(private readonly \stdClass $json)
    {
    }

    /** The whole answer, as decoded JSON. */
    final public function raw(): \stdClass
    {
        return $this->json;
    }

    /** The fields that the service sent. */
    final public function jsonSerialize(): \stdClass
    {
        $known = get_object_vars($this);
        $fields = clone $this->json;
        foreach (get_object_vars($fields) as $name => $value) {
            $fields->{$name} = $value === null ? null : $known[$name] ?? $value;
        }
        return $fields;
    }

    final public function __debugInfo(): array
    {
        $fields = get_object_vars($this);
        unset($fields['json']);
        return $fields;
    }

    /**
     * @template T of self
     * @param class-string<T> $class
     * @return T|null
     */
    protected static function toModel(string $class, mixed $json): ?self
    {
        return $json === null ? null : new $class($json);
    }

    /**
     * @template T of self
     * @param class-string<T> $class
     * @param list<\stdClass>|null $list
     * @return list<T>|null
     */
    protected static function toModels(string $class, ?array $list): ?array
    {
        return $list === null ? null : array_map(fn (\stdClass $json) => new $class($json), $list);
    }
}
