package io.vertxscr.verticle;

import io.vertxscr.service.advice.AdviceService;
import io.vertxscr.service.advice.Advisor;
import io.vertxscr.service.cache.CacheInventoryService;
import io.vertxscr.service.cache.StoreService;
import io.vertxscr.service.cache.SyncBarrier;
import io.vertxscr.service.container.AggregateService;
import io.vertxscr.service.dashboard.ClusterPicture;
import io.vertxscr.service.dashboard.OperatorActions;
import io.vertxscr.service.flush.FlushLeader;
import io.vertxscr.service.flush.FlushQuestions;
import io.vertxscr.service.flush.FlushService;
import io.vertxscr.service.log.EventsService;
import io.vertxscr.service.phase.ClaimService;
import io.vertxscr.service.phase.RouteService;
import io.vertxscr.service.redundancy.ProtectionService;
import io.vertxscr.service.restart.CacheRepairs;
import io.vertxscr.service.restart.FetchService;
import io.vertxscr.service.restart.NodeDrains;
import io.vertxscr.service.run.CollectiveCalls;
import io.vertxscr.service.run.ConfigService;
import io.vertxscr.service.run.LeaderService;
import io.vertxscr.service.run.RunService;
import io.vertxscr.service.run.StatusService;
import io.vertxscr.service.run.StorageProbe;
import io.vertxscr.service.scrub.PublishedScrub;
import io.vertxscr.service.scrub.ScrubService;

/**
 * The services of one node that verticles delegate to. Their methods are called on the node's loop.
 *
 * @param runs the life of an application on the node
 * @param leader the life of the run for all nodes; on every node, as its companions below, because each may become it
 * @param flushLeader leader half of the flush
 * @param published scrub of published datasets, on the leader
 * @param repairs leader half of the scrub
 * @param advisor answers should-exit and need-checkpoint for all nodes
 * @param picture what the dashboard shows
 * @param operators what operators have done there
 * @param drains nodes that operators want to shut down
 */
public record NodeServices(
    RunService runs, CollectiveCalls calls, RouteService routes, ClaimService claims, AdviceService advice,
    FlushQuestions flushQuestions, StatusService status, EventsService events, ConfigService config,
    ProtectionService protection, CacheInventoryService inventory, FetchService fetches, StoreService stores,
    FlushService flushes, AggregateService aggregation,
    LeaderService leader, FlushLeader flushLeader, SyncBarrier syncs, Advisor advisor, StorageProbe probe,
    ScrubService scrub, PublishedScrub published, CacheRepairs repairs, ClusterPicture picture,
    OperatorActions operators,
    NodeDrains drains) {}
