// One update of all weights by Adam (Kingma and Ba), with a ridge towards the initial weights. Each
// parameter takes 68 bytes of memory traffic and about 20 operations, among them a square root and
// a division, so memory bandwidth limits the speed. The caller computes the powers of the decay
// rates.

typedef struct {
    double unit, ridge, keep_first, take_first, keep_second, take_second, rate, correction, epsilon;
} AdamStep;

// Updates weight `at` and its two moments, where `sum` is the fixed-point gradient of the weight
// and `ridge` is used in place of `step->ridge`. Returns the new weight.
INLINE double adam_element(u64 at, i64 sum, double ridge, const AdamStep *step, const double *initial,
                           double *weights, double *first, double *second)
{
    const double weight = weights[at];
    const double gradient = step->unit * (double)sum + ridge * (initial[at] - weight);
    const double mean = step->keep_first * first[at] + step->take_first * gradient;
    const double square = step->keep_second * second[at] + step->take_second * (gradient * gradient);
    const double size = sqrt(square * step->correction) + step->epsilon;
    const double next = weight + (step->rate * mean) / size;
    first[at] = mean;
    second[at] = square;
    weights[at] = next;
    return next;
}

KERNEL adam(const i64 *sums, const double *initial, double *weights, double *first, double *second,
            i32 *fixed, u32 count, double unit, double ridge, double keep_first, double take_first,
            double keep_second, double take_second, double rate, double correction, double epsilon)
{
    const AdamStep step = {unit, ridge, keep_first, take_first, keep_second, take_second, rate, correction, epsilon};
    for (u32 at = grid_thread(); at < count; at += grid_threads())
        fixed[at] = rounded_weight(adam_element(at, sums[at], ridge, &step, initial, weights, first, second));
}
