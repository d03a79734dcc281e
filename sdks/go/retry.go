package manilla

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/manilla-dev/manilla-go/internal/retrywait"
)

const (
	waitMax = 8 * time.Second
	// A longer Retry-After is left to the caller.
	retryAfterMax = 30 * time.Second
)

// isRetried holds the only reasons to retry. Its idempotency key makes a POST safe to repeat.
func isRetried(failure *APIError) bool {
	switch failure.Status {
	case 0, http.StatusRequestTimeout, http.StatusTooManyRequests, http.StatusInternalServerError,
		http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return failure.Reason == ErrorReasonIdempotencyInProgress
}

// waitBeforeRetry returns the wait before the next retry, or false if a retry would not help. Doubles
// every time, with jitter, so that clients that failed together do not return together.
func waitBeforeRetry(ctx context.Context, failure *APIError, retriesBefore int) (time.Duration, bool) {
	if !isRetried(failure) || failure.RetryAfter > retryAfterMax {
		return 0, false
	}
	full := float64(retrywait.First(ctx)) * math.Pow(2, float64(retriesBefore))
	full = math.Min(full, float64(waitMax))
	wait := time.Duration(full * (0.5 + randomFraction()/2))
	if wait < failure.RetryAfter {
		wait = failure.RetryAfter
	}
	return wait, true
}

// readRetryAfter reads Retry-After as seconds or as a date.
func readRetryAfter(header string, now time.Time) time.Duration {
	wait := time.Duration(0)
	if seconds, err := strconv.ParseFloat(header, 64); err == nil && !math.IsNaN(seconds) {
		wait = time.Duration(math.Min(seconds, 1e9) * float64(time.Second))
	} else if date, err := http.ParseTime(header); err == nil {
		wait = date.Sub(now)
	}
	if wait < 0 {
		return 0
	}
	return wait
}

func sleep(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// randomFraction does not use math/rand, which in Go 1.19 is the same in every process.
func randomFraction() float64 {
	var bytes [4]byte
	if _, err := rand.Read(bytes[:]); err != nil {
		return 1
	}
	return float64(binary.BigEndian.Uint32(bytes[:])) / (1 << 32)
}
