/* Work inside one band, shared: a worker that has a band to end cuts the work into phases of equal parts,
 * and workers that wait for their turn join in. What a part computes does not depend on who computes it.
 *
 * Parts are tickets, taken in order: all of a phase before any of the next. Whoever holds one of a later
 * phase waits until the earlier ones are done, which are all in the hands of threads that run. So one
 * thread alone never waits, and a band costs one wake-up however many phases it has. */
#include <sched.h>

#include "engine/pass/internal.h"

/* Phases last some 100 us: looking on beats sleeping, but not for long where threads outnumber cores. */
enum { LOOKS = 2000 };

static void wait_for(const struct pass_crew *crew, unsigned n_done)
{
    for (unsigned i = 0; atomic_load_explicit(&crew->n_done, memory_order_acquire) < n_done; i++) {
        if (i >= LOOKS) {
            (void)sched_yield();
        }
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }
}

static void take_tickets(struct pass_crew *crew)
{
    for (;;) {
        const unsigned ticket = atomic_fetch_add(&crew->next_ticket, 1);
        if (ticket >= crew->n_tickets) {
            return;
        }
        const unsigned phase = ticket / crew->n_parts;
        wait_for(crew, phase * crew->n_parts);
        crew->work(crew->data, phase, ticket % crew->n_parts);
        atomic_fetch_add_explicit(&crew->n_done, 1, memory_order_release);
    }
}

void mr_crew_wait(struct pass_worker *worker)
{
    struct pass_order *order = &worker->pass->order;
    struct pass_crew *crew = &order->crew;
    if (!crew->is_open || atomic_load(&crew->next_ticket) >= crew->n_tickets) {
        const uint64_t start = mr_now_ns();
        pthread_cond_wait(&order->changed, &order->lock);
        worker->idle_ns += mr_now_ns() - start;
        return;
    }
    crew->n_helpers++;
    pthread_mutex_unlock(&order->lock);
    take_tickets(crew);
    pthread_mutex_lock(&order->lock);
    if (--crew->n_helpers == 0) {
        pthread_cond_broadcast(&order->changed);
    }
}

void mr_crew_help_until_over(struct pass_worker *worker)
{
    struct mr_pass *pass = worker->pass;
    struct pass_order *order = &pass->order;
    pthread_mutex_lock(&order->lock);
    while (order->status == MR_OK && order->done_bands < pass->info->n_bands) {
        mr_crew_wait(worker);
    }
    pthread_mutex_unlock(&order->lock);
}

void mr_crew_run(struct mr_pass *pass, mr_crew_work work, void *data, unsigned n_phases,
                 unsigned n_parts)
{
    struct pass_order *order = &pass->order;
    struct pass_crew *crew = &order->crew;
    pthread_mutex_lock(&order->lock);
    const bool is_mine = !crew->is_open && pass->n_running > 1;
    if (is_mine) {
        crew->is_open = true;
        crew->work = work;
        crew->data = data;
        crew->n_parts = n_parts;
        crew->n_tickets = n_phases * n_parts;
        atomic_store(&crew->next_ticket, 0);
        atomic_store(&crew->n_done, 0);
        pthread_cond_broadcast(&order->changed);
        pthread_mutex_unlock(&order->lock);
        take_tickets(crew);
        wait_for(crew, crew->n_tickets);
        pthread_mutex_lock(&order->lock);
        while (crew->n_helpers > 0) {
            pthread_cond_wait(&order->changed, &order->lock);
        }
        crew->is_open = false;
    }
    pthread_mutex_unlock(&order->lock);
    for (unsigned i = 0; !is_mine && i < n_phases * n_parts; i++) { /* nobody to share it with */
        work(data, i / n_parts, i % n_parts);
    }
}
