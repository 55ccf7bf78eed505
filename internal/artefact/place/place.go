// Package place reads where artefacts are kept. It stands apart from them, so
// that programs that only read the configuration do not link S3.
package place

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Place is where artefacts are kept: a directory, or a bucket.
type Place struct {
	Dir              string
	Bucket, Prefix   string // the prefix ends in a slash, unless it is empty
	Region, Endpoint string // "": those of AWS's environment
	PathStyle        bool   // the bucket stands in the path, not in the host's name
}

// IsURL tells a URL from a directory.
func IsURL(at string) bool { return scheme.MatchString(at) }

// scheme also finds s3:bucket, which is a slip and no directory.
var scheme = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9+.-]*://|s3:|file:)`)

// bucketName is S3's rule for names.
var bucketName = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$`)

// prefixName leaves out what S3's libraries escape each in its own way.
var prefixName = regexp.MustCompile(`^[A-Za-z0-9_-]+([./][A-Za-z0-9_-]+)*$`)

// Parse reads a place: a directory, file:///directory, or
// s3://bucket/prefix?region=…&endpoint=…&s3ForcePathStyle=true, where all but
// the bucket may be left out. The error repeats nothing that may be a password.
func Parse(at string) (Place, error) {
	if at == "" {
		return Place{}, errors.New("a directory or a URL is required")
	}
	if !IsURL(at) {
		return Place{Dir: filepath.Clean(at)}, nil
	}
	u, err := parseURL(at)
	if err != nil {
		return Place{}, fmt.Errorf("it is no URL: %w", err)
	}
	if u.User != nil {
		return Place{}, errors.New("a password or key does not belong into the URL: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment")
	}
	switch u.Scheme {
	case "file":
		return filePlace(u)
	case "s3":
		return s3Place(u)
	}
	return Place{}, fmt.Errorf("%s is not known: write a directory, file:///directory or s3://bucket", u.Scheme)
}

// parseURL is url.Parse without the URL in the error.
func parseURL(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	var quoting *url.Error
	if errors.As(err, &quoting) {
		return nil, errors.New("it cannot be read")
	}
	return u, err
}

func filePlace(u *url.URL) (Place, error) {
	if u.Host != "" && u.Host != "localhost" || !path.IsAbs(u.Path) {
		return Place{}, errors.New("a file URL has three slashes and the whole path: file:///directory")
	}
	if u.RawQuery != "" || u.Fragment != "" {
		return Place{}, errors.New("a file URL takes no options")
	}
	return Place{Dir: filepath.Clean(u.Path)}, nil
}

func s3Place(u *url.URL) (Place, error) {
	if !bucketName.MatchString(u.Host) || u.Fragment != "" {
		return Place{}, errors.New("write s3://bucket, and name a server of your own by ?endpoint=https://…")
	}
	p := Place{Bucket: u.Host, Prefix: strings.Trim(u.Path, "/")}
	if p.Prefix != "" {
		if !prefixName.MatchString(p.Prefix) {
			return Place{}, errors.New("the path after the bucket is to be of letters, digits, _ and -, with single dots and slashes between")
		}
		p.Prefix += "/"
	}
	options, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return Place{}, errors.New("the options after the ? cannot be read")
	}
	for _, name := range slices.Sorted(maps.Keys(options)) {
		if err := p.set(name, options[name]); err != nil {
			return Place{}, err
		}
	}
	return p, nil
}

// set takes one option of an s3 URL.
func (p *Place) set(name string, values []string) (err error) {
	if len(values) != 1 || values[0] == "" {
		return fmt.Errorf("the option %s wants one value", name)
	}
	switch name {
	case "region":
		p.Region = values[0]
	case "endpoint":
		p.Endpoint = values[0]
		return checkEndpoint(p.Endpoint)
	case "s3ForcePathStyle":
		if p.PathStyle, err = strconv.ParseBool(values[0]); err != nil {
			return errors.New("s3ForcePathStyle is true or false")
		}
	default:
		return fmt.Errorf("the option %q is not known: region, endpoint and s3ForcePathStyle are", name)
	}
	return nil
}

func checkEndpoint(s string) error {
	u, err := parseURL(s)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "" {
		return errors.New("the endpoint is to be http://host:port or https://host, without a password")
	}
	return nil
}
