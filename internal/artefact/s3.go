package artefact

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/feature/s3/transfermanager"
	"github.com/aws/aws-sdk-go-v2/service/s3"
	"github.com/aws/smithy-go/logging"
	"gocloud.dev/blob/s3blob"

	"crossswe/internal/artefact/place"
)

// patience bounds how long a server may take. Only package tests use another.
type patience struct {
	still    time.Duration // the longest that a connection may stand still
	attempts int           // of one request; faults of the network and 5xx are tried again
	backoff  time.Duration // the longest between two attempts
}

var defaultPatience = patience{still: 30 * time.Second, attempts: 4, backoff: 5 * time.Second}

// openS3 returns the store in a bucket after asking it for an answer.
func openS3(ctx context.Context, at place.Place, p patience) (*Store, error) {
	cfg, err := config.LoadDefaultConfig(ctx,
		config.WithRegion(at.Region), config.WithHTTPClient(p.client()), config.WithRetryer(p.retryer), config.WithLogger(logging.Nop{}),
		// Get checks the SHA-256 itself.
		config.WithResponseChecksumValidation(aws.ResponseChecksumValidationWhenRequired))
	if err != nil {
		return nil, fmt.Errorf("reading the configuration of S3: %w", err)
	}
	if at.Endpoint != "" {
		cfg.Region = cmp.Or(cfg.Region, "us-east-1") // what servers other than AWS's take by default
	}
	if cfg.Region == "" {
		return nil, errors.New("opening the bucket of artefacts: no region is known: add ?region=… to store.artefacts, or set AWS_REGION")
	}
	if err := identify(ctx, cfg, p); err != nil {
		return nil, err
	}
	client := s3.NewFromConfig(cfg, func(o *s3.Options) {
		o.UsePathStyle = at.PathStyle
		if at.Endpoint != "" {
			o.BaseEndpoint = aws.String(at.Endpoint)
		}
	})
	bucket, err := s3blob.OpenBucket(ctx, client, at.Bucket, nil)
	if err != nil {
		return nil, fmt.Errorf("opening the bucket of artefacts: %w", err)
	}
	s := &Store{bucket: bucket, s3: &uploads{client, cfg.RequestChecksumCalculation}, root: "s3://" + at.Bucket, prefix: at.Prefix}
	if at.Prefix != "" {
		s.root += "/" + at.Prefix[:len(at.Prefix)-1]
	}
	return s, s.reach(ctx)
}

// identify makes the want of credentials an error of its own, before any request.
func identify(ctx context.Context, cfg aws.Config, p patience) error {
	ctx, cancel := context.WithTimeout(ctx, p.still)
	defer cancel()
	if _, err := cfg.Credentials.Retrieve(ctx); err != nil {
		return fmt.Errorf("finding the credentials of S3 (set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY): %w", err)
	}
	return nil
}

// uploads makes every upload one request.
type uploads struct {
	client    *s3.Client
	checksums aws.RequestChecksumCalculation // as AWS_REQUEST_CHECKSUM_CALCULATION says
}

// whole keeps s3blob's transfer manager from cutting a body into parts: those
// of a killed or cancelled upload stay in the bucket, unseen and paid for. S3
// takes 5 GiB in one request.
func (u *uploads) whole(as func(any) bool) {
	var manager *transfermanager.Client
	if as(&manager) {
		*manager = *transfermanager.New(u.client, func(o *transfermanager.Options) {
			o.MultipartUploadThreshold = maxSize + 1
			o.RequestChecksumCalculation = u.checksums
		})
	}
}

func (p patience) retryer() aws.Retryer {
	return retry.NewStandard(func(o *retry.StandardOptions) {
		o.MaxAttempts, o.MaxBackoff = p.attempts, p.backoff
	})
}

// client returns an HTTP client whose connections fail when they stand still.
// The SDK's own time-out of reads also strikes during an upload that takes
// longer than it, as the answer is awaited from the start.
func (p patience) client() *awshttp.BuildableClient {
	dialer := &net.Dialer{Timeout: p.still}
	return awshttp.NewBuildableClient().WithTransportOptions(func(t *http.Transport) {
		t.IdleConnTimeout = p.still / 2
		t.DialContext = func(ctx context.Context, network, addr string) (net.Conn, error) {
			c, err := dialer.DialContext(ctx, network, addr)
			if err != nil {
				return nil, err
			}
			return &moving{Conn: c, still: p.still}, nil
		}
	})
}

// moving is a connection that fails unless a byte goes one way or the other
// every so often.
type moving struct {
	net.Conn
	still time.Duration
}

func (m *moving) Read(p []byte) (int, error) {
	if err := m.SetDeadline(time.Now().Add(m.still)); err != nil {
		return 0, err
	}
	return m.Conn.Read(p)
}

func (m *moving) Write(p []byte) (int, error) {
	if err := m.SetDeadline(time.Now().Add(m.still)); err != nil {
		return 0, err
	}
	return m.Conn.Write(p)
}
