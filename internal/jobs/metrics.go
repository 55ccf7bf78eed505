package jobs

import (
	"context"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"crossswe/internal/store"
)

// Metrics are what Prometheus may read of a process and of the pipeline.
type Metrics struct {
	jobs *prometheus.HistogramVec
}

// NewMetrics registers the metrics. Those of the whole pipeline are read from
// the store whenever they are asked for.
func NewMetrics(reg prometheus.Registerer, s *store.Store) *Metrics {
	m := &Metrics{jobs: prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "crossswe_job_seconds", Help: "Time that jobs took in this process, by stage and outcome (done, fault, unfit, lost, handed_back).",
		Buckets: []float64{0.1, 1, 5, 15, 60, 300, 900, 3600, 4 * 3600},
	}, []string{"stage", "outcome"})}
	reg.MustRegister(m.jobs, &pipeline{store: s})
	return m
}

// job counts a job; a nil Metrics counts nothing.
func (m *Metrics) job(stage store.Stage, outcome string, took time.Duration) {
	if m != nil {
		m.jobs.WithLabelValues(string(stage), outcome).Observe(took.Seconds())
	}
}

// pipeline collects the figures of the store.
type pipeline struct{ store *store.Store }

var (
	itemsDesc   = prometheus.NewDesc("crossswe_items", "Items by stage, state and reason: the funnel.", []string{"stage", "state", "reason"}, nil)
	queueDesc   = prometheus.NewDesc("crossswe_queue_jobs", "Jobs in the queue by stage and state.", []string{"stage", "state"}, nil)
	workersDesc = prometheus.NewDesc("crossswe_workers", "Processes with a lease, by stage.", []string{"stage"}, nil)
	storeUpDesc = prometheus.NewDesc("crossswe_store_up", "1 when the store answered this scrape.", nil, nil)
)

// Describe implements prometheus.Collector.
func (*pipeline) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{itemsDesc, queueDesc, workersDesc, storeUpDesc} {
		ch <- d
	}
}

// scrapeTime bounds the questions of one scrape.
const scrapeTime = 5 * time.Second

// Collect implements prometheus.Collector. A store that does not answer is
// itself a figure.
func (c *pipeline) Collect(ch chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), scrapeTime)
	defer cancel()
	up := 1.0
	for _, part := range []func(context.Context, chan<- prometheus.Metric) error{c.items, c.queue, c.workers} {
		if part(ctx, ch) != nil {
			up = 0
			break
		}
	}
	ch <- prometheus.MustNewConstMetric(storeUpDesc, prometheus.GaugeValue, up)
}

func (c *pipeline) items(ctx context.Context, ch chan<- prometheus.Metric) error {
	rows, err := c.store.Funnel(ctx)
	for _, r := range rows {
		ch <- prometheus.MustNewConstMetric(itemsDesc, prometheus.GaugeValue, float64(r.Count), string(r.Stage), string(r.State), r.Reason)
	}
	return err
}

func (c *pipeline) queue(ctx context.Context, ch chan<- prometheus.Metric) error {
	rows, err := Queue(ctx, c.store)
	for _, r := range rows {
		ch <- prometheus.MustNewConstMetric(queueDesc, prometheus.GaugeValue, float64(r.Count), string(r.Stage), string(r.State))
	}
	return err
}

func (c *pipeline) workers(ctx context.Context, ch chan<- prometheus.Metric) error {
	all, err := Processes(ctx, c.store)
	counts := map[store.Stage]float64{}
	for _, p := range all {
		counts[p.Stage]++
	}
	for stage, n := range counts {
		ch <- prometheus.MustNewConstMetric(workersDesc, prometheus.GaugeValue, n, string(stage))
	}
	return err
}
