// Package retrywait lets this module's own tests shorten the waits between retries.
package retrywait

import (
	"context"
	"time"
)

type key struct{}

// WithFirst sets the wait before the first retry of requests with this context.
func WithFirst(ctx context.Context, wait time.Duration) context.Context {
	return context.WithValue(ctx, key{}, wait)
}

// First returns the wait before the first retry.
func First(ctx context.Context) time.Duration {
	if wait, ok := ctx.Value(key{}).(time.Duration); ok {
		return wait
	}
	return 500 * time.Millisecond
}
