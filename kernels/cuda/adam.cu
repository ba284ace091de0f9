// One update by Adam (Kingma and Ba), with ridge, clipping and decoupled decay towards the starting
// weights (Loshchilov and Hutter). 68 bytes and some 20 operations for each parameter, of which a
// square root and a division: bound by memory. Whatever needs a power is computed by the caller.

KERNEL adam(const i64 *sums, const double *initial, double *weights, double *first, double *second,
            i32 *fixed, u32 count, double unit, double ridge, double clip, double keep_first,
            double take_first, double keep_second, double take_second, double rate,
            double correction, double epsilon, double decay)
{
    for (u32 at = grid_thread(); at < count; at += grid_threads()) {
        const double weight = weights[at];
        const double towards_start = initial[at] - weight;
        const double gradient = (unit * (double)sums[at] + ridge * towards_start) * clip;
        const double mean = keep_first * first[at] + take_first * gradient;
        const double square = keep_second * second[at] + take_second * (gradient * gradient);
        const double size = sqrt(square * correction) + epsilon;
        const double next = (weight + (rate * mean) / size) + decay * towards_start;
        first[at] = mean;
        second[at] = square;
        weights[at] = next;
        fixed[at] = rounded_weight(next);
    }
}
