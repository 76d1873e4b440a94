-- The schema of a database of before the first release, whose 20 migrations became a baseline: pg_dump of Postgres 15, without its comments.
SELECT pg_catalog.set_config('search_path', '', false);
SET check_function_bodies = false;
CREATE FUNCTION public.device_search_text(name text, serial text, mac text, model text, site text, tags text[], note text, former text[]) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$
          select lower(concat_ws(e'\n', name, serial, mac, replace(mac, ':', ''), left(model, 120), site,
                                 array_to_string(tags, ' '), note, array_to_string(former, ' ')))
        $$;
COMMENT ON FUNCTION public.device_search_text(name text, serial text, mac text, model text, site text, tags text[], note text, former text[]) IS 'What GET /v1/devices?q= searches, in lower case.';
CREATE FUNCTION public.event_of_approval() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' or old.state <> new.state then
          insert into event (type, subject, data)
          values ('approval.' || new.state, 'approval:' || new.id,
                  jsonb_build_object('action', new.action, 'requestedBy', new.requested_by_name, 'decidedBy', new.decided_by_name));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_artifact() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, device_id, data)
          values ('artifact.stored', 'artifact:' || new.id, new.device_id, jsonb_build_object('kind', new.kind, 'name', new.name));
        else
          insert into event (type, subject, device_id, data)
          values ('artifact.removed', 'artifact:' || old.id, old.device_id, jsonb_build_object('kind', old.kind, 'name', old.name));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_checkpoint() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        insert into event (type, subject, data)
        values ('audit.checkpoint', 'checkpoint:' || new.size, jsonb_build_object('size', new.size));
        return null;
      end $$;
CREATE FUNCTION public.event_of_device() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, device_id, data)
          values ('device.registered', 'device:' || new.id, new.id, jsonb_build_object('name', new.name));
        elsif tg_op = 'DELETE' then
          insert into event (type, subject, data)
          values ('device.removed', 'device:' || old.id, jsonb_build_object('name', old.name));
        else
          if old.state <> new.state then
            insert into event (type, subject, device_id, data)
            values ('device.' || new.state, 'device:' || new.id, new.id,
                    jsonb_build_object('name', new.name, 'before', old.state, 'reason', new.state_reason));
          end if;
          if old.firmware is distinct from new.firmware then
            insert into event (type, subject, device_id, data)
            values ('device.firmware_changed', 'device:' || new.id, new.id,
                    jsonb_build_object('name', new.name, 'before', old.firmware, 'after', new.firmware));
          end if;
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_discovery() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, data)
          values ('discovery.started', 'discovery:' || new.id,
                  jsonb_build_object('addresses', new.addresses, 'startedBy', new.created_by_name));
        elsif old.ended_at is null and new.ended_at is not null then
          insert into event (type, subject, data)
          values ('discovery.ended', 'discovery:' || new.id,
                  jsonb_build_object('state', new.state, 'devices', (
                    select count(*) from discovery_find where discovery_id = new.id and kind = 'device')));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_fan_out() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' or old.state <> new.state then
          insert into event (type, subject, data)
          values ('fanout.' || new.state, 'fanout:' || new.id,
                  jsonb_build_object('startedBy', new.created_by_name, 'state', new.state));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_job() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, device_id, data)
          values ('job.started', 'job:' || new.id, new.device_id, jsonb_build_object('kind', new.kind, 'startedBy', new.started_by_name));
        elsif old.phase <> 'ended' and new.phase = 'ended' then
          insert into event (type, subject, device_id, data)
          values ('job.ended', 'job:' || new.id, new.device_id,
                  jsonb_build_object('kind', new.kind, 'outcome', new.outcome, 'code', new.failure ->> 'code'));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_lock() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' then
          insert into event (type, subject, data)
          values ('lock.set', 'lock:' || new.id, jsonb_build_object('kind', new.kind, 'by', new.created_by_name));
        elsif old.lifted_at is null and new.lifted_at is not null then
          insert into event (type, subject, data)
          values ('lock.lifted', 'lock:' || new.id, jsonb_build_object('kind', new.kind));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_quarantine() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        insert into event (type, subject, data)
        values (tg_argv[0] || '.quarantined', tg_table_name || ':' || new.id, jsonb_build_object('name', new.name));
        return null;
      end $$;
CREATE FUNCTION public.event_of_quarantined_job() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        insert into event (type, subject, device_id, data)
        values ('job.quarantined', 'job:' || new.id, new.device_id,
                jsonb_build_object('kind', new.kind, 'outcome', new.outcome, 'why', new.failure ->> 'message'));
        return null;
      end $$;
CREATE FUNCTION public.event_of_rollout() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if tg_op = 'INSERT' or old.state <> new.state then
          insert into event (type, subject, data)
          values ('rollout.' || new.state, 'rollout:' || new.id,
                  jsonb_build_object('name', new.name, 'kind', new.kind, 'state', new.state, 'why', new.pause_sentence));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.event_of_warning() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        insert into event (type, subject, data) values ('system.warning', 'warning:' || new.code, jsonb_build_object('code', new.code));
        return null;
      end $$;
CREATE FUNCTION public.event_of_wave() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if old.state <> new.state then
          insert into event (type, subject, data)
          values ('rollout.wave_' || new.state, 'rollout:' || new.rollout_id, jsonb_build_object('wave', new.ordinal, 'state', new.state));
        end if;
        return null;
      end $$;
CREATE FUNCTION public.firmware_version(name text) RETURNS integer[]
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    AS $_$
          with run as (
            select (regexp_matches(name, '([0-9]+(?:[.][0-9]+)*)[^0-9]*$'))[1] as digits
          ), trimmed as (
            select regexp_replace(regexp_replace(digits, '^(0+[.])+(?=[0-9])', ''), '([.]0+)+$', '') as digits from run
          )
          select array(
            select least(part::numeric, 2147483647)::integer
              from unnest(string_to_array(digits, '.')) with ordinality as parts (part, place) order by place
          ) from trimmed
        $_$;
COMMENT ON FUNCTION public.firmware_version(name text) IS 'The numbers of a firmware version, to compare; null when the name has none.';
CREATE FUNCTION public.fleetgate_key_of(sealed bytea) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN CASE WHEN ((length(sealed) > 17) AND (get_byte(sealed, 0) = 1)) THEN (encode(SUBSTRING(sealed FROM 2 FOR 16), 'hex'::text))::uuid ELSE NULL::uuid END;
COMMENT ON FUNCTION public.fleetgate_key_of(sealed bytea) IS 'The data key that a sealed value names in its head.';
CREATE FUNCTION public.fleetgate_notify_changes(of_table text, topic text, id_column text, ignored text[] DEFAULT '{}'::text[]) RETURNS void
    LANGUAGE plpgsql
    AS $$
      declare
        kind text[];
      begin
        foreach kind slice 1 in array array[
          ['insert', 'new table as rows_after'],
          ['update', 'old table as rows_before new table as rows_after'],
          ['delete', 'old table as rows_before']
        ] loop
          execute format(
            'create trigger %I after %s on %I referencing %s for each statement execute function fleetgate_tell_changes(%L, %L, %L)',
            of_table || '_tells_' || kind[1], kind[1], of_table, kind[2], topic, id_column, ignored);
        end loop;
      end
      $$;
COMMENT ON FUNCTION public.fleetgate_notify_changes(of_table text, topic text, id_column text, ignored text[]) IS 'For migrations: from now on committed changes of a table are told. Updates of the ignored columns alone are not; this needs a column id.';
CREATE FUNCTION public.fleetgate_sealed(of_table text, sealed_column text) RETURNS void
    LANGUAGE plpgsql
    AS $_$
      begin
        execute format(
          'alter table %1$I add column %3$I uuid generated always as (fleetgate_key_of(%2$I)) stored
             constraint %4$I references data_key (id)',
          of_table, sealed_column, sealed_column || '_key', of_table || '_' || sealed_column || '_keeps_its_key_alive');
        execute format('create index %1$I on %2$I (%3$I)',
          of_table || '_' || sealed_column || '_key_idx', of_table, sealed_column || '_key');
      end
      $_$;
COMMENT ON FUNCTION public.fleetgate_sealed(of_table text, sealed_column text) IS 'For migrations: from now on no data key goes while a value of this column is sealed with it. Also to be named in platform/secrets/sealed-columns.ts.';
CREATE FUNCTION public.fleetgate_tell_changes() RETURNS trigger
    LANGUAGE plpgsql
    AS $_$
      declare
        topic     constant text   := tg_argv[0];
        id_column constant text   := tg_argv[1];
        ignored   constant text[] := tg_argv[2]::text[];
        source    text;
        told      text[];
        one       text;
      begin
        if tg_op = 'INSERT' then
          source := 'rows_after';
        elsif tg_op = 'DELETE' then
          source := 'rows_before';
        elsif cardinality(ignored) = 0 then
          source := '(select * from rows_after union all select * from rows_before) as touched';
        else
          source := format(
            '(select was.* from rows_after now join rows_before was using (id) where to_jsonb(now) - %1$L::text[] <> to_jsonb(was) - %1$L::text[]) as touched',
            ignored);
        end if;
        -- One more than is told one by one: a larger change is one notice without an id.
        execute format('select array(select distinct %I::text from %s limit 101)', id_column, source) into told;
        if cardinality(told) > 100 then
          perform pg_notify('fleetgate', topic || '/');
        else
          foreach one in array told loop
            perform pg_notify('fleetgate', topic || '/' || one);
          end loop;
        end if;
        return null;
      end
      $_$;
COMMENT ON FUNCTION public.fleetgate_tell_changes() IS 'Tells listening processes which rows a statement changed, as topic/id; topic/ alone when anything may have changed.';
CREATE FUNCTION public.is_work_in_hand() RETURNS boolean
    LANGUAGE sql STABLE
    AS $$
        select exists (select from job where phase in ('dispatched', 'running'))
            or exists (select from work_mark where held_until > clock_timestamp())
      $$;
COMMENT ON FUNCTION public.is_work_in_hand() IS 'Whether any process has a job or a row in hand.';
CREATE FUNCTION public.job_keeps_its_device() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
      begin
        if exists (select from job where device_id = old.id and phase <> 'ended') then
          raise exception using errcode = '23503', constraint = 'job_keeps_its_device',
            message = 'the device has a job that has not ended';
        end if;
        return old;
      end $$;
CREATE FUNCTION public.quiet_trial(now timestamp with time zone, by_dispatcher boolean DEFAULT false) RETURNS TABLE(kind text, id uuid)
    LANGUAGE sql STABLE
    AS $$
        select trial.kind, trial.id from (
          select 'job' as kind, id, phase <> 'queued' as is_at_work, wake_at as since from job
           where lost_workers > 1 and trials > 0 and tried_alone and phase <> 'ended' and (phase <> 'queued' or wake_at <= now)
             and (wake_at > now - interval '5 minutes' or phase = 'queued' and by_dispatcher and not is_work_in_hand())
          union all
          select kind, row_id, owner is not null, quiet_until - interval '5 minutes' from work_mark
           where quiet_until > clock_timestamp()) trial
         order by is_at_work desc, since, id limit 1
      $$;
COMMENT ON FUNCTION public.quiet_trial(now timestamp with time zone, by_dispatcher boolean) IS 'The suspect that everything else waits for, for five minutes: it was lost with something beside it. A dispatcher without work to wait for tries it later, too: its worker may have been away for longer.';
CREATE FUNCTION public.work_in_hand(process text, since timestamp with time zone) RETURNS bigint
    LANGUAGE sql STABLE
    AS $$
        select count(*) from (
          select id from job where phase = 'running' and owner = process
          union select id from job where lost_by = process and lost_at >= since
          union all select row_id from work_mark where owner = process or lost_by = process and lost_at >= since) work
      $$;
COMMENT ON FUNCTION public.work_in_hand(process text, since timestamp with time zone) IS 'How many jobs and rows a process has in hand, with those that were taken from it since an instant.';
CREATE TABLE public.api_key (
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    name text NOT NULL,
    prefix text NOT NULL,
    hash bytea NOT NULL,
    scope jsonb,
    allowed_addresses text[] DEFAULT '{}'::text[] NOT NULL,
    calls_per_minute integer,
    replaces_id uuid,
    issued_by uuid,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone,
    revoked_at timestamp with time zone,
    last_used_at timestamp with time zone,
    last_used_address text,
    CONSTRAINT api_key_allows_some_calls CHECK ((calls_per_minute > 0)),
    CONSTRAINT api_key_hash_is_sha256 CHECK ((octet_length(hash) = 32)),
    CONSTRAINT api_key_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT api_key_scope_is_an_object CHECK ((jsonb_typeof(scope) = 'object'::text))
);
COMMENT ON TABLE public.api_key IS 'What a program shows to act for an operator. Only a digest of its secret is kept.';
COMMENT ON COLUMN public.api_key.issued_by IS 'Who else has seen the key. Null: nobody, or it is from before this was kept.';
CREATE TABLE public.approval (
    id uuid NOT NULL,
    action text NOT NULL,
    digest bytea NOT NULL,
    summary jsonb NOT NULL,
    devices integer NOT NULL,
    device_ids uuid[] NOT NULL,
    state text DEFAULT 'pending'::text NOT NULL,
    requested_by uuid NOT NULL,
    requested_by_name text NOT NULL,
    requested_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    decided_by uuid,
    decided_by_name text,
    decided_at timestamp with time zone,
    used_at timestamp with time zone,
    CONSTRAINT approval_digest_is_sha256 CHECK ((octet_length(digest) = 32)),
    CONSTRAINT approval_is_decided_by_another CHECK ((decided_by <> requested_by)),
    CONSTRAINT approval_says_when_it_was_used CHECK (((state = 'used'::text) = (used_at IS NOT NULL))),
    CONSTRAINT approval_says_who_decided CHECK (((state = 'pending'::text) = (decided_by_name IS NULL))),
    CONSTRAINT approval_state_is_known CHECK ((state = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'used'::text])))
);
COMMENT ON TABLE public.approval IS 'A request that touches more devices than one person decides about; bound to its digest, good once.';
COMMENT ON COLUMN public.approval.device_ids IS 'The devices that were named when it was asked for: it is good for these and no others.';
CREATE TABLE public.artifact (
    id uuid NOT NULL,
    sha256 text NOT NULL,
    bytes bigint NOT NULL,
    kind text NOT NULL,
    name text NOT NULL,
    version text,
    models text[] DEFAULT '{}'::text[] NOT NULL,
    hardware text[] DEFAULT '{}'::text[] NOT NULL,
    minimum_version text,
    signed_by text,
    signature text,
    device_id uuid,
    job_id uuid,
    confirmed_at timestamp with time zone,
    created_by text,
    created_by_name text,
    created_at timestamp with time zone NOT NULL,
    CONSTRAINT artifact_is_not_negative CHECK ((bytes >= 0)),
    CONSTRAINT artifact_kind_is_known CHECK ((kind = ANY (ARRAY['firmware'::text, 'backup'::text, 'certificate'::text, 'configuration'::text, 'file'::text]))),
    CONSTRAINT artifact_sha256_is_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT artifact_signature_says_whose CHECK (((signed_by IS NULL) = (signature IS NULL)))
);
COMMENT ON TABLE public.artifact IS 'Bytes with a digest that a job made or needs; the bytes stand in the artifact store under their digest.';
COMMENT ON COLUMN public.artifact.confirmed_at IS 'Backup: when the device was last found to have this very configuration; null: never since.';
CREATE TABLE public.artifact_reservation (
    id uuid NOT NULL,
    bytes bigint NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    CONSTRAINT artifact_reservation_is_not_negative CHECK ((bytes >= 0))
);
COMMENT ON TABLE public.artifact_reservation IS 'Room in the artifact store that is promised to bytes under way.';
CREATE TABLE public.artifact_use (
    artifact_id uuid NOT NULL,
    job_id uuid NOT NULL,
    sha256 text NOT NULL,
    CONSTRAINT artifact_use_sha256_is_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON TABLE public.artifact_use IS 'Which jobs use an artifact, and its digest at the moment of their start.';
CREATE TABLE public.audit_checkpoint (
    size bigint NOT NULL,
    root bytea NOT NULL,
    signed_at timestamp with time zone NOT NULL,
    set_back_from timestamp with time zone,
    note text NOT NULL
);
COMMENT ON TABLE public.audit_checkpoint IS 'What the log has signed of itself, as C2SP tlog-checkpoint.';
COMMENT ON COLUMN public.audit_checkpoint.set_back_from IS 'The latest time that the clock had shown, when it shows an earlier one at this checkpoint. A copy from the note.';
CREATE TABLE public.audit_entry (
    id uuid NOT NULL,
    opened_at timestamp with time zone NOT NULL,
    action text NOT NULL,
    actor text NOT NULL,
    actor_name text NOT NULL,
    request_id text,
    address text,
    reason text,
    device_id uuid,
    job_id uuid,
    operation_id uuid,
    subject text NOT NULL,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    written_in xid8 DEFAULT pg_current_xact_id(),
    CONSTRAINT audit_entry_action_is_noun_verb CHECK ((action ~ '^[a-z_]+(\.[a-z_]+)+$'::text))
);
COMMENT ON TABLE public.audit_entry IS 'Who set out to do what to what, written before the effect. Rows are only ever added. No foreign keys: an entry outlives what it speaks of.';
COMMENT ON COLUMN public.audit_entry.operation_id IS 'What the entry is a part of beyond one job: a fan-out.';
CREATE TABLE public.audit_leaf (
    sequence bigint NOT NULL,
    kind smallint NOT NULL,
    row_id uuid NOT NULL,
    hash bytea NOT NULL,
    seal bytea NOT NULL,
    CONSTRAINT audit_leaf_counts_from_zero CHECK ((sequence >= 0)),
    CONSTRAINT audit_leaf_hash_is_sha256 CHECK ((length(hash) = 32)),
    CONSTRAINT audit_leaf_kind_is_known CHECK ((kind = ANY (ARRAY[0, 1]))),
    CONSTRAINT audit_leaf_seal_has_16_bytes CHECK ((length(seal) = 16))
);
COMMENT ON TABLE public.audit_leaf IS 'The place of each entry (0) and outcome (1) in the log: hash of its canonical form, sealed with its place by a key.';
CREATE TABLE public.audit_log (
    id uuid NOT NULL,
    only_one boolean DEFAULT true NOT NULL,
    origin text NOT NULL,
    sealed_key bytea,
    watermark xid8,
    server_id text,
    closed_through bigint DEFAULT 0 NOT NULL,
    sealed_key_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_key)) STORED,
    CONSTRAINT audit_log_is_only_one CHECK (only_one),
    CONSTRAINT audit_log_origin_is_a_key_name CHECK ((origin ~ '^[^[:space:]+]{1,200}$'::text))
);
COMMENT ON TABLE public.audit_log IS 'The log and its signing key. Rows written in transactions before the watermark all have their place in it.';
COMMENT ON COLUMN public.audit_log.server_id IS 'The server that the watermark is of: pg_control_system().system_identifier.';
COMMENT ON COLUMN public.audit_log.closed_through IS 'Places of the log below which every entry has its outcome.';
CREATE TABLE public.audit_node (
    height smallint NOT NULL,
    "position" bigint NOT NULL,
    hash bytea NOT NULL,
    CONSTRAINT audit_node_hash_is_sha256 CHECK ((length(hash) = 32))
);
COMMENT ON TABLE public.audit_node IS 'Hashes above 256, 65,536, ... leaves, so that a root or a proof reads little.';
CREATE TABLE public.audit_outcome (
    entry_id uuid NOT NULL,
    closed_at timestamp with time zone NOT NULL,
    outcome text NOT NULL,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL,
    written_in xid8 DEFAULT pg_current_xact_id(),
    CONSTRAINT audit_outcome_is_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text, 'unknown'::text])))
);
COMMENT ON TABLE public.audit_outcome IS 'How an entry ended, written after the effect. An entry without one is open: its effect is under way, or the process died in it.';
CREATE TABLE public.audit_segment (
    number bigint NOT NULL,
    first bigint NOT NULL,
    last bigint NOT NULL,
    root bytea NOT NULL,
    file_name text NOT NULL,
    file_sha256 bytea NOT NULL,
    archived_at timestamp with time zone NOT NULL,
    CONSTRAINT audit_segment_is_whole CHECK (((last = (first + 4095)) AND (first = (number * 4096))))
);
COMMENT ON TABLE public.audit_segment IS 'Leaves that were archived in a file and removed by the owner of the database. Their root stays in the log.';
CREATE TABLE public.audit_witness (
    name text NOT NULL,
    size bigint NOT NULL,
    shown_at timestamp with time zone NOT NULL,
    answer text NOT NULL
);
COMMENT ON TABLE public.audit_witness IS 'The last checkpoint that each witness outside the database has taken.';
CREATE TABLE public.backup_account (
    id uuid NOT NULL,
    artifact_id uuid NOT NULL,
    purpose text NOT NULL,
    username text NOT NULL,
    sealed_password bytea NOT NULL,
    sealed_password_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_password)) STORED
);
COMMENT ON TABLE public.backup_account IS 'The passwords of the gateway on a device at the time of a backup: a restore brings them back.';
CREATE TABLE public.backup_content (
    artifact_id uuid NOT NULL,
    looked_at timestamp with time zone NOT NULL,
    sha256 text,
    files jsonb NOT NULL,
    failure text,
    CONSTRAINT backup_content_is_known_or_why_not CHECK (((sha256 IS NULL) = (failure IS NOT NULL))),
    CONSTRAINT backup_content_sha256_is_hex CHECK ((sha256 ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON TABLE public.backup_content IS 'That a stored backup can be unpacked, and what is in it: names, sizes and keyed digests of its files.';
COMMENT ON COLUMN public.backup_content.sha256 IS 'Of names and bytes of all files: the archive itself differs each time, by the dates in it.';
CREATE TABLE public.backup_policy (
    id uuid NOT NULL,
    name text NOT NULL,
    selector text NOT NULL,
    cron text,
    every_seconds integer,
    time_zone text NOT NULL,
    keep_count integer NOT NULL,
    keep_days integer,
    only_changes boolean NOT NULL,
    passphrase uuid,
    enabled boolean NOT NULL,
    quarantined_at timestamp with time zone,
    next_run_at timestamp with time zone,
    last_run_at timestamp with time zone,
    last_started integer,
    last_error text,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    operator_id uuid,
    created_at timestamp with time zone NOT NULL,
    version integer NOT NULL,
    CONSTRAINT backup_policy_has_one_rhythm CHECK (((cron IS NULL) <> (every_seconds IS NULL))),
    CONSTRAINT backup_policy_keeps_a_day CHECK ((keep_days >= 1)),
    CONSTRAINT backup_policy_keeps_one CHECK ((keep_count >= 1)),
    CONSTRAINT backup_policy_runs_when_enabled CHECK ((enabled = (next_run_at IS NOT NULL)))
);
COMMENT ON TABLE public.backup_policy IS 'Of which devices a backup is made when, and how long it is kept. Its jobs act in the name of who made or last replaced it.';
COMMENT ON COLUMN public.backup_policy.passphrase IS 'The sealed value that backups are encrypted with. No foreign key: it outlives the policy, as its backups do.';
COMMENT ON COLUMN public.backup_policy.quarantined_at IS 'When it was stopped, because it took its processes down.';
CREATE TABLE public.data_key (
    id uuid NOT NULL,
    root_key_id text NOT NULL,
    wrapped bytea NOT NULL,
    purpose text DEFAULT 'seal'::text NOT NULL,
    active boolean DEFAULT false NOT NULL,
    created_at timestamp with time zone DEFAULT now() NOT NULL,
    CONSTRAINT data_key_purpose_is_known CHECK ((purpose = ANY (ARRAY['seal'::text, 'fingerprint'::text])))
);
COMMENT ON TABLE public.data_key IS 'Keys that seal secrets, each wrapped by the root key whose id stands beside it.';
COMMENT ON COLUMN public.data_key.purpose IS 'The key of fingerprints outlives the others: fingerprints in the audit stay comparable.';
COMMENT ON COLUMN public.data_key.active IS 'The one that seals; the others open what was sealed before.';
CREATE TABLE public.device (
    id uuid NOT NULL,
    name text NOT NULL,
    base_url text NOT NULL,
    serial text,
    mac text,
    model text,
    firmware text,
    site text DEFAULT ''::text NOT NULL,
    tags text[] DEFAULT '{}'::text[] NOT NULL,
    time_zone text,
    profile text DEFAULT 'unknown'::text NOT NULL,
    api_version text,
    sessions integer DEFAULT 1 NOT NULL,
    trust text DEFAULT 'pin'::text NOT NULL,
    trust_pin text,
    trust_ca text,
    trust_expires_at timestamp with time zone,
    offered_pin text,
    state text DEFAULT 'new'::text NOT NULL,
    state_reason text,
    seen_at timestamp with time zone,
    probe_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    identify_at timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    created_at timestamp with time zone NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    note text DEFAULT ''::text NOT NULL,
    former_serials text[] DEFAULT '{}'::text[] NOT NULL,
    search_text text GENERATED ALWAYS AS (public.device_search_text(name, serial, mac, model, site, tags, note, former_serials)) STORED NOT NULL,
    fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    network_operator text,
    CONSTRAINT device_ca_has_a_bundle CHECK (((trust = 'ca'::text) = (trust_ca IS NOT NULL))),
    CONSTRAINT device_fields_are_an_object CHECK ((jsonb_typeof(fields) = 'object'::text)),
    CONSTRAINT device_former_serials_are_few CHECK ((cardinality(former_serials) <= 20)),
    CONSTRAINT device_insecure_has_an_end CHECK (((trust = 'insecure'::text) = (trust_expires_at IS NOT NULL))),
    CONSTRAINT device_mac_is_canonical CHECK ((mac ~ '^[0-9a-f]{2}(:[0-9a-f]{2}){5}$'::text)),
    CONSTRAINT device_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT device_network_operator_is_short CHECK (((char_length(network_operator) >= 1) AND (char_length(network_operator) <= 64))),
    CONSTRAINT device_note_is_short CHECK ((length(note) <= 1000)),
    CONSTRAINT device_profile_is_known CHECK ((profile = ANY (ARRAY['unknown'::text, 'spec'::text, 'rutos'::text]))),
    CONSTRAINT device_sessions_are_few CHECK (((sessions >= 1) AND (sessions <= 4))),
    CONSTRAINT device_state_is_known CHECK ((state = ANY (ARRAY['new'::text, 'online'::text, 'offline'::text, 'credentials_refused'::text, 'trust_changed'::text]))),
    CONSTRAINT device_trust_is_known CHECK ((trust = ANY (ARRAY['pin'::text, 'ca'::text, 'insecure'::text])))
);
COMMENT ON TABLE public.device IS 'One router of the fleet: where it is, how we know that it is still the same, and what we know of it.';
COMMENT ON COLUMN public.device.time_zone IS 'IANA name; maintenance windows are on this clock. Null: that of the rollout.';
COMMENT ON COLUMN public.device.sessions IS 'Sessions at once for each account; real devices leak memory with each login.';
COMMENT ON COLUMN public.device.probe_at IS 'When the status sweep asks next whether the device is there.';
COMMENT ON COLUMN public.device.identify_at IS 'When the status sweep asks next who the device is; that needs a session.';
COMMENT ON COLUMN public.device.note IS 'What people write down about the device.';
COMMENT ON COLUMN public.device.former_serials IS 'Of the hardware that was replaced under this name, the latest last.';
COMMENT ON COLUMN public.device.search_text IS 'What GET /v1/devices?q= searches.';
COMMENT ON COLUMN public.device.fields IS 'Values by the key of device_field. A device need not have each.';
CREATE TABLE public.device_account (
    id uuid NOT NULL,
    device_id uuid NOT NULL,
    purpose text DEFAULT 'main'::text NOT NULL,
    username text NOT NULL,
    sealed_password bytea NOT NULL,
    failed_logins integer DEFAULT 0 NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    proven_for timestamp with time zone,
    reserved_logins integer DEFAULT 0 NOT NULL,
    reserved_until timestamp with time zone DEFAULT '-infinity'::timestamp with time zone NOT NULL,
    sealed_pending bytea,
    pending_job uuid,
    pending_tried_by uuid,
    pending_logins integer DEFAULT 0 NOT NULL,
    pending_refused text[] DEFAULT '{}'::text[] NOT NULL,
    changing_until timestamp with time zone,
    rotated_by uuid,
    sealed_password_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_password)) STORED,
    sealed_pending_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_pending)) STORED,
    CONSTRAINT device_account_failures_count_up CHECK ((failed_logins >= 0)),
    CONSTRAINT device_account_pending_has_a_job CHECK (((sealed_pending IS NULL) = (pending_job IS NULL))),
    CONSTRAINT device_account_pending_logins_count_up CHECK ((pending_logins >= 0)),
    CONSTRAINT device_account_purpose_is_known CHECK ((purpose = ANY (ARRAY['main'::text, 'read'::text]))),
    CONSTRAINT device_account_reservations_count_up CHECK ((reserved_logins >= 0))
);
COMMENT ON TABLE public.device_account IS 'A login that the gateway uses on a device. The password is sealed; failed logins count until the credentials change.';
COMMENT ON COLUMN public.device_account.proven_for IS 'The changed_at of the credentials that the device last took; those need no reservation until it refuses them.';
COMMENT ON COLUMN public.device_account.reserved_logins IS 'Logins under way that may be refused; they count as refused until they ended, or until reserved_until.';
COMMENT ON COLUMN public.device_account.sealed_pending IS 'The next password, from before it is sent to the device until a login has proven it. What a rotation could not resolve stays for the next one.';
COMMENT ON COLUMN public.device_account.pending_job IS 'The job that made the pending password.';
COMMENT ON COLUMN public.device_account.pending_logins IS 'Logins that the job pending_tried_by made to find out which password counts, refused or without an answer.';
COMMENT ON COLUMN public.device_account.pending_refused IS 'Which of the passwords, pending or present, the device refused to that job: it is not asked again.';
COMMENT ON COLUMN public.device_account.changing_until IS 'Until then no session logs in: which password the device takes is just being changed.';
COMMENT ON COLUMN public.device_account.rotated_by IS 'The job that made the present password.';
CREATE TABLE public.device_certificate (
    device_id uuid NOT NULL,
    fullname text NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    issuer text NOT NULL,
    not_before timestamp with time zone NOT NULL,
    not_after timestamp with time zone NOT NULL,
    fingerprint text NOT NULL,
    seen_at timestamp with time zone NOT NULL,
    job_id uuid NOT NULL,
    CONSTRAINT device_certificate_fingerprint_is_sha256 CHECK ((fingerprint ~ '^[0-9a-f]{64}$'::text))
);
COMMENT ON TABLE public.device_certificate IS 'Certificates on devices, as jobs last saw them; without keys.';
CREATE TABLE public.device_change (
    id bigint NOT NULL,
    device_id uuid NOT NULL,
    at timestamp with time zone NOT NULL,
    field text NOT NULL,
    before text,
    after text,
    CONSTRAINT device_change_changes CHECK ((before IS DISTINCT FROM after)),
    CONSTRAINT device_change_field_is_known CHECK ((field = ANY (ARRAY['state'::text, 'firmware'::text, 'serial'::text, 'mac'::text, 'model'::text, 'profile'::text, 'api_version'::text])))
);
COMMENT ON TABLE public.device_change IS 'What the gateway learned of a device, when it was news: states, firmware, identity.';
ALTER TABLE public.device_change ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.device_change_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.device_field (
    key text NOT NULL,
    type text NOT NULL,
    choices text[] DEFAULT '{}'::text[] NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT device_field_choice_has_choices CHECK (((type = 'choice'::text) = (cardinality(choices) > 0))),
    CONSTRAINT device_field_key_is_a_word CHECK ((key ~ '^[a-z][a-z0-9_]{0,39}$'::text)),
    CONSTRAINT device_field_type_is_known CHECK ((type = ANY (ARRAY['text'::text, 'number'::text, 'boolean'::text, 'date'::text, 'choice'::text])))
);
COMMENT ON TABLE public.device_field IS 'What devices can be described by, besides the fields that every installation has.';
CREATE TABLE public.discovery (
    id uuid NOT NULL,
    state text DEFAULT 'queued'::text NOT NULL,
    networks text[] NOT NULL,
    ports integer[] NOT NULL,
    addresses integer NOT NULL,
    per_second integer NOT NULL,
    at_once integer NOT NULL,
    searched integer DEFAULT 0 NOT NULL,
    epoch integer DEFAULT 0 NOT NULL,
    failure text,
    operator_id uuid NOT NULL,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT discovery_ends_once CHECK (((state = ANY (ARRAY['queued'::text, 'running'::text])) = (ended_at IS NULL))),
    CONSTRAINT discovery_is_small CHECK (((addresses >= 1) AND (addresses <= 4096))),
    CONSTRAINT discovery_says_why_it_failed CHECK (((state = 'failed'::text) = (failure IS NOT NULL))),
    CONSTRAINT discovery_searches_its_addresses CHECK (((searched >= 0) AND (searched <= addresses))),
    CONSTRAINT discovery_state_is_known CHECK ((state = ANY (ARRAY['queued'::text, 'running'::text, 'finished'::text, 'cancelled'::text, 'failed'::text])))
);
COMMENT ON TABLE public.discovery IS 'A search of networks for devices.';
COMMENT ON COLUMN public.discovery.searched IS 'The first so many addresses are done: a process that goes on with the run starts there.';
COMMENT ON COLUMN public.discovery.epoch IS 'Counts the processes that worked on it; writes of an earlier one are refused.';
CREATE TABLE public.discovery_credentials (
    id uuid NOT NULL,
    discovery_id uuid NOT NULL,
    ordinal integer NOT NULL,
    username text NOT NULL,
    sealed_password bytea,
    sealed_password_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_password)) STORED
);
COMMENT ON TABLE public.discovery_credentials IS 'Credentials that a search may try. The password goes at the end of the run, unless a device accepted it.';
CREATE TABLE public.discovery_find (
    id uuid NOT NULL,
    discovery_id uuid NOT NULL,
    "position" integer NOT NULL,
    address text NOT NULL,
    port integer NOT NULL,
    base_url text NOT NULL,
    kind text NOT NULL,
    reason text,
    pin text,
    certificate jsonb,
    profile text,
    name text,
    model text,
    identifier text,
    api_version text,
    login text,
    credentials_id uuid,
    serial text,
    mac text,
    firmware text,
    known_device_id uuid,
    known_by text,
    seen_at timestamp with time zone NOT NULL,
    CONSTRAINT discovery_find_kind_is_known CHECK ((kind = ANY (ARRAY['device'::text, 'other'::text]))),
    CONSTRAINT discovery_find_known_by_is_known CHECK ((known_by = ANY (ARRAY['baseUrl'::text, 'serial'::text, 'mac'::text]))),
    CONSTRAINT discovery_find_login_is_known CHECK ((login = ANY (ARRAY['granted'::text, 'refused'::text, 'unclear'::text])))
);
COMMENT ON TABLE public.discovery_find IS 'What answered at an address. All texts are claims of what answered, except after a login.';
COMMENT ON COLUMN public.discovery_find.credentials_id IS 'The credentials that it accepted.';
CREATE TABLE public.discovery_login (
    credentials_id uuid NOT NULL,
    address text NOT NULL,
    identity text NOT NULL,
    outcome text DEFAULT 'unclear'::text NOT NULL,
    at timestamp with time zone NOT NULL,
    CONSTRAINT discovery_login_outcome_is_known CHECK ((outcome = ANY (ARRAY['granted'::text, 'refused'::text, 'unclear'::text])))
);
COMMENT ON TABLE public.discovery_login IS 'Each login of a search, from before it is sent. A row forbids another login with these credentials on this device.';
COMMENT ON COLUMN public.discovery_login.identity IS 'What the device calls itself, or its address: a device with two addresses is one.';
CREATE TABLE public.event (
    tx xid8 DEFAULT pg_current_xact_id() NOT NULL,
    id bigint NOT NULL,
    at timestamp with time zone DEFAULT clock_timestamp() NOT NULL,
    type text NOT NULL,
    subject text NOT NULL,
    device_id uuid,
    data jsonb DEFAULT '{}'::jsonb NOT NULL,
    CONSTRAINT event_type_is_noun_verb CHECK ((type ~ '^[a-z]+(\.[a-z_]+)+$'::text))
);
COMMENT ON TABLE public.event IS 'What happened, in an order that readers can follow: by transaction, of which only those are read that no older one can come after.';
ALTER TABLE public.event ALTER COLUMN id ADD GENERATED ALWAYS AS IDENTITY (
    SEQUENCE NAME public.event_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1
);
CREATE TABLE public.fan_out (
    id uuid NOT NULL,
    state text NOT NULL,
    selector text NOT NULL,
    acts jsonb NOT NULL,
    writes boolean NOT NULL,
    sealed_request bytea NOT NULL,
    device_ids uuid[] NOT NULL,
    counts jsonb DEFAULT '{}'::jsonb NOT NULL,
    stopped text,
    retry_of uuid,
    operator_id uuid NOT NULL,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    alive_at timestamp with time zone NOT NULL,
    cancel_asked_at timestamp with time zone,
    ended_at timestamp with time zone,
    sealed_request_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_request)) STORED,
    CONSTRAINT fan_out_ends_once CHECK (((state = 'running'::text) = (ended_at IS NULL))),
    CONSTRAINT fan_out_state_is_known CHECK ((state = ANY (ARRAY['running'::text, 'ended'::text, 'interrupted'::text])))
);
COMMENT ON TABLE public.fan_out IS 'Calls to many devices whose outcomes are stored for some days. The calls are made by one process, which says in alive_at that it works on it.';
COMMENT ON COLUMN public.fan_out.acts IS 'Method, path and query of each call, without secrets.';
COMMENT ON COLUMN public.fan_out.sealed_request IS 'The complete request, with its bodies, for a retry.';
COMMENT ON COLUMN public.fan_out.device_ids IS 'All devices of it. One without a row in fan_out_device has no outcome yet.';
COMMENT ON COLUMN public.fan_out.alive_at IS 'By the clock of the database.';
CREATE TABLE public.fan_out_answer (
    id uuid NOT NULL,
    fan_out_id uuid NOT NULL,
    digest text NOT NULL,
    sealed_body bytea NOT NULL,
    sealed_body_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_body)) STORED
);
COMMENT ON TABLE public.fan_out_answer IS 'Different answers of devices, each once, without their secrets and sealed all the same: what the rules of redaction do not know is not in clear here.';
CREATE TABLE public.fan_out_device (
    fan_out_id uuid NOT NULL,
    device_id uuid NOT NULL,
    outcome text NOT NULL,
    reason text,
    status integer,
    digest text,
    bytes integer,
    device_codes integer[] DEFAULT '{}'::integer[] NOT NULL,
    ms integer,
    CONSTRAINT fan_out_device_digest_is_sha256 CHECK ((digest ~ '^[0-9a-f]{64}$'::text)),
    CONSTRAINT fan_out_device_outcome_is_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'skipped'::text, 'unreachable'::text, 'unknown'::text])))
);
COMMENT ON TABLE public.fan_out_device IS 'The outcome of one device, written in batches. It outlives the device, which no reader sees then: a foreign key would slow each batch down.';
COMMENT ON COLUMN public.fan_out_device.digest IS 'Of the answer without its secrets; null: there is none, or it cannot be searched for secrets.';
CREATE TABLE public.fleet_import (
    id uuid NOT NULL,
    state text NOT NULL,
    dry_run boolean NOT NULL,
    lines integer,
    done_lines integer DEFAULT 0 NOT NULL,
    result jsonb,
    failure jsonb,
    operator_id uuid NOT NULL,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    alive_at timestamp with time zone NOT NULL,
    cancel_asked_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT fleet_import_ends_once CHECK (((state = 'running'::text) = (ended_at IS NULL))),
    CONSTRAINT fleet_import_says_its_end CHECK (((state = 'succeeded'::text) = (result IS NOT NULL))),
    CONSTRAINT fleet_import_state_is_known CHECK ((state = ANY (ARRAY['running'::text, 'succeeded'::text, 'failed'::text, 'cancelled'::text])))
);
COMMENT ON TABLE public.fleet_import IS 'Imports that go on without their sender. The file itself is in the memory of one process and nowhere else; success is written in the transaction of the import.';
COMMENT ON COLUMN public.fleet_import.alive_at IS 'When its process last said that it works on it, by the clock of the database.';
CREATE TABLE public.gateway_process (
    id uuid NOT NULL,
    role text NOT NULL,
    host text NOT NULL,
    version text NOT NULL,
    node text NOT NULL,
    checks jsonb NOT NULL,
    sweepers jsonb NOT NULL,
    warnings text[] NOT NULL,
    started_at timestamp with time zone NOT NULL,
    alive_at timestamp with time zone NOT NULL,
    CONSTRAINT gateway_process_role_is_known CHECK ((role = ANY (ARRAY['all'::text, 'api'::text, 'worker'::text])))
);
COMMENT ON TABLE public.gateway_process IS 'The processes that run, as each describes itself. One that died leaves its row for a day.';
CREATE TABLE public.idempotency_key (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    actor text NOT NULL,
    key text NOT NULL,
    request_digest bytea NOT NULL,
    request_id text,
    rights_mark bytea,
    sealed_answer bytea,
    failure text,
    created_at timestamp with time zone NOT NULL,
    sealed_answer_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_answer)) STORED,
    CONSTRAINT idempotency_key_is_short CHECK (((length(key) >= 8) AND (length(key) <= 128)))
);
COMMENT ON TABLE public.idempotency_key IS 'What a request that changes something came to, compressed, sealed, and without the bodies of devices. No answer yet: it runs, or its process died in it.';
COMMENT ON COLUMN public.idempotency_key.rights_mark IS 'A digest of the rules by which its sender was judged; its answer is given again to the same rules alone.';
COMMENT ON COLUMN public.idempotency_key.failure IS 'The code of the error that its request ended in, where it is not certain that nothing was changed.';
CREATE TABLE public.invitation (
    hash bytea NOT NULL,
    operator_id uuid NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    issued_by uuid
);
COMMENT ON TABLE public.invitation IS 'Digests of the tokens with which a person sets a first or forgotten password, once.';
COMMENT ON COLUMN public.invitation.issued_by IS 'Who else has seen its token. Null: it is from before this was kept.';
CREATE TABLE public.job (
    id uuid NOT NULL,
    device_id uuid NOT NULL,
    kind text NOT NULL,
    spec jsonb DEFAULT '{}'::jsonb NOT NULL,
    is_bulk boolean DEFAULT false NOT NULL,
    phase text NOT NULL,
    outcome text,
    cursor jsonb NOT NULL,
    wake_at timestamp with time zone NOT NULL,
    wait_reason text,
    deadline_at timestamp with time zone NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    epoch integer DEFAULT 0 NOT NULL,
    lease_until timestamp with time zone,
    owner text,
    lost_workers integer DEFAULT 0 NOT NULL,
    tried_alone boolean DEFAULT false NOT NULL,
    trials integer DEFAULT 0 NOT NULL,
    lost_by text,
    lost_at timestamp with time zone,
    intent jsonb,
    cancel_asked_at timestamp with time zone,
    result jsonb,
    failure jsonb,
    started_by text NOT NULL,
    started_by_name text NOT NULL,
    operator_id uuid,
    reason text,
    request_id text,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT job_counts_up CHECK (((attempts >= 0) AND (epoch >= 0))),
    CONSTRAINT job_ended_has_a_time CHECK (((phase = 'ended'::text) = (ended_at IS NOT NULL))),
    CONSTRAINT job_ended_has_an_outcome CHECK (((phase = 'ended'::text) = (outcome IS NOT NULL))),
    CONSTRAINT job_lease_has_an_owner CHECK (((phase = ANY (ARRAY['dispatched'::text, 'running'::text])) = (lease_until IS NOT NULL))),
    CONSTRAINT job_outcome_is_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'not_executed'::text, 'unknown'::text, 'cancelled'::text]))),
    CONSTRAINT job_phase_is_known CHECK ((phase = ANY (ARRAY['queued'::text, 'dispatched'::text, 'running'::text, 'ended'::text])))
)
WITH (fillfactor='70');
COMMENT ON TABLE public.job IS 'One long operation on one device; the queue only hands these rows out.';
COMMENT ON COLUMN public.job.is_bulk IS 'One of many of a rollout: it never takes the slots that are reserved for people.';
COMMENT ON COLUMN public.job.epoch IS 'Rises with every dispatch and every lost lease; who holds an older one may not write.';
COMMENT ON COLUMN public.job.lost_workers IS 'Workers that were lost in a row while they ran it, without a step saved in between. Above 0 it is a suspect.';
COMMENT ON COLUMN public.job.tried_alone IS 'Whether it was handed out last as the only suspect at work.';
COMMENT ON COLUMN public.job.trials IS 'Tries that it still has to make as a suspect: one at a time, and with nothing beside it after a second loss.';
COMMENT ON COLUMN public.job.lost_by IS 'The process that was lost last while it ran it.';
COMMENT ON COLUMN public.job.lost_at IS 'When that was noticed.';
COMMENT ON COLUMN public.job.intent IS 'The latest effect on the device: what was probed before, whether it was sent, what the probe after said.';
COMMENT ON COLUMN public.job.failure IS 'Why it ended without success; while it waits, what went wrong last.';
COMMENT ON COLUMN public.job.operator_id IS 'In whose name it acts; null for jobs of the gateway itself.';
COMMENT ON COLUMN public.job.started_at IS 'When a worker first took it up. From then until its end the device is its own.';
CREATE TABLE public.job_event (
    job_id uuid NOT NULL,
    ordinal integer NOT NULL,
    at timestamp with time zone NOT NULL,
    step text NOT NULL,
    text text NOT NULL,
    facts jsonb DEFAULT '{}'::jsonb NOT NULL
);
COMMENT ON TABLE public.job_event IS 'What a job did, step by step, in words for people.';
CREATE TABLE public.key_rotation (
    id uuid NOT NULL,
    what text NOT NULL,
    phase text NOT NULL,
    key_id uuid,
    done integer DEFAULT 0 NOT NULL,
    unreadable jsonb DEFAULT '[]'::jsonb NOT NULL,
    started_by text NOT NULL,
    started_by_name text NOT NULL,
    started_at timestamp with time zone NOT NULL,
    switched_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT key_rotation_ended_has_a_time CHECK (((phase = ANY (ARRAY['finished'::text, 'blocked'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT key_rotation_of_data_keys_names_one CHECK (((what = 'data_key'::text) = (key_id IS NOT NULL))),
    CONSTRAINT key_rotation_phase_is_known CHECK ((phase = ANY (ARRAY['announced'::text, 'switched'::text, 'resealing'::text, 'retiring'::text, 'finished'::text, 'blocked'::text]))),
    CONSTRAINT key_rotation_what_is_known CHECK ((what = ANY (ARRAY['root_key'::text, 'data_key'::text])))
);
COMMENT ON TABLE public.key_rotation IS 'Replacements of keys, under way and past; a process that dies in one leaves it to the next.';
CREATE TABLE public.lock (
    id uuid NOT NULL,
    kind text NOT NULL,
    target text,
    reason text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    ends_at timestamp with time zone,
    lifted_at timestamp with time zone,
    CONSTRAINT lock_ends_after_it_began CHECK ((ends_at > created_at)),
    CONSTRAINT lock_kind_is_known CHECK ((kind = ANY (ARRAY['operator'::text, 'key'::text, 'device'::text, 'selector'::text, 'writes'::text]))),
    CONSTRAINT lock_names_what_it_locks CHECK (((kind = 'writes'::text) = (target IS NULL))),
    CONSTRAINT lock_reason_is_short CHECK (((length(reason) >= 1) AND (length(reason) <= 500)))
);
COMMENT ON TABLE public.lock IS 'Whoever or whatever does nothing for now: an operator, a key, a device, a selector, all writes.';
CREATE TABLE public.migrations (
    id integer NOT NULL,
    "timestamp" bigint NOT NULL,
    name character varying NOT NULL
);
CREATE SEQUENCE public.migrations_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.migrations_id_seq OWNED BY public.migrations.id;
CREATE TABLE public.operator (
    id uuid NOT NULL,
    name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    disabled_at timestamp with time zone,
    CONSTRAINT operator_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 120)))
);
COMMENT ON TABLE public.operator IS 'A person or a program with rights.';
CREATE TABLE public.operator_identity (
    issuer text NOT NULL,
    subject text NOT NULL,
    operator_id uuid NOT NULL,
    provider text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    last_login_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.operator_identity IS 'Who an operator is at an OpenID provider: issuer and subject, and nothing that a person can change there.';
CREATE TABLE public.operator_password (
    operator_id uuid NOT NULL,
    hash text NOT NULL,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT operator_password_is_argon2id CHECK ((hash ~~ '$argon2id$%'::text))
);
COMMENT ON TABLE public.operator_password IS 'The password of a local account, as a slow hash that carries its own parameters.';
CREATE TABLE public.operator_role (
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    role text NOT NULL,
    selector text,
    created_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.operator_role IS 'A role that an operator has; with a selector, for its devices alone.';
CREATE TABLE public.operator_session (
    id uuid NOT NULL,
    operator_id uuid NOT NULL,
    hash bytea NOT NULL,
    way text NOT NULL,
    made_at timestamp with time zone NOT NULL,
    ends_at timestamp with time zone NOT NULL,
    revoked_at timestamp with time zone,
    second_factor_at timestamp with time zone,
    address text,
    user_agent text,
    last_seen_at timestamp with time zone NOT NULL,
    last_seen_address text,
    CONSTRAINT operator_session_ends_after_it_began CHECK ((ends_at > made_at)),
    CONSTRAINT operator_session_hash_is_sha256 CHECK ((octet_length(hash) = 32)),
    CONSTRAINT operator_session_user_agent_is_short CHECK ((length(user_agent) <= 300)),
    CONSTRAINT operator_session_way_is_known CHECK ((way = ANY (ARRAY['password'::text, 'oidc'::text])))
);
COMMENT ON TABLE public.operator_session IS 'A person who is signed in. Only a digest of the token in their cookie is kept.';
CREATE TABLE public.operator_totp (
    operator_id uuid NOT NULL,
    sealed_seed bytea NOT NULL,
    made_at timestamp with time zone NOT NULL,
    confirmed_at timestamp with time zone,
    last_step bigint DEFAULT 0 NOT NULL,
    sealed_seed_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_seed)) STORED
);
COMMENT ON TABLE public.operator_totp IS 'The second factor of an operator (RFC 6238); in force when confirmed. No step at or before last_step is taken again.';
CREATE TABLE public.recovery_code (
    operator_id uuid NOT NULL,
    hash bytea NOT NULL,
    used_at timestamp with time zone,
    CONSTRAINT recovery_code_hash_is_sha256 CHECK ((octet_length(hash) = 32))
);
COMMENT ON TABLE public.recovery_code IS 'Digests of the codes that stand in for a lost second factor, each once.';
CREATE TABLE public.role (
    name text NOT NULL,
    built_in boolean DEFAULT false NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    rules jsonb DEFAULT '[]'::jsonb NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    CONSTRAINT role_name_is_a_word CHECK ((name ~ '^[a-z][a-z0-9_-]{0,62}$'::text)),
    CONSTRAINT role_rules_are_a_list CHECK ((jsonb_typeof(rules) = 'array'::text))
);
COMMENT ON TABLE public.role IS 'A list of rules that allow and deny. The rules of built-in roles stand in the code.';
CREATE TABLE public.rollout (
    id uuid NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    spec jsonb NOT NULL,
    selector text NOT NULL,
    policy jsonb NOT NULL,
    state text NOT NULL,
    pause_cause text,
    pause_sentence text,
    plan_digest text NOT NULL,
    bytes_per_start bigint DEFAULT 0 NOT NULL,
    acknowledged_finished integer DEFAULT 0 NOT NULL,
    acknowledged_failed integer DEFAULT 0 NOT NULL,
    starts_at timestamp with time zone,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    operator_id uuid,
    reason text,
    request_id text,
    approved_by text,
    approved_by_name text,
    created_at timestamp with time zone NOT NULL,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    followed_at timestamp with time zone,
    schedule_id uuid,
    rolls_back uuid,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT rollout_ended_has_a_time CHECK (((state = ANY (ARRAY['finished'::text, 'aborted'::text])) = (ended_at IS NOT NULL))),
    CONSTRAINT rollout_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT rollout_pause_has_a_cause CHECK (((state = 'paused'::text) = (pause_cause IS NOT NULL))),
    CONSTRAINT rollout_state_is_known CHECK ((state = ANY (ARRAY['draft'::text, 'awaiting_approval'::text, 'scheduled'::text, 'running'::text, 'paused'::text, 'aborting'::text, 'finished'::text, 'aborted'::text])))
);
COMMENT ON TABLE public.rollout IS 'One intent for many devices; what is done to each is a job.';
CREATE TABLE public.rollout_target (
    rollout_id uuid NOT NULL,
    device_id uuid NOT NULL,
    device_name text NOT NULL,
    wave integer NOT NULL,
    "position" integer NOT NULL,
    state text NOT NULL,
    reason text,
    wake_at timestamp with time zone NOT NULL,
    tries integer DEFAULT 0 NOT NULL,
    offline_since timestamp with time zone,
    offline_looks integer DEFAULT 0 NOT NULL,
    job_id uuid,
    before jsonb DEFAULT '{}'::jsonb NOT NULL,
    spec jsonb,
    began_at timestamp with time zone,
    ended_at timestamp with time zone,
    checked_at timestamp with time zone,
    changed_at timestamp with time zone NOT NULL,
    CONSTRAINT rollout_target_at_work_has_a_job CHECK (((state <> ALL (ARRAY['queued'::text, 'running'::text])) OR (job_id IS NOT NULL))),
    CONSTRAINT rollout_target_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'offline'::text, 'queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text, 'skipped'::text, 'cancelled'::text])))
);
COMMENT ON TABLE public.rollout_target IS 'What a rollout does with one device. Rows outlive their device.';
COMMENT ON COLUMN public.rollout_target.before IS 'What the device was before: for the report and for a roll-back.';
COMMENT ON COLUMN public.rollout_target.spec IS 'What is done to this device, where it differs from the rollout''s spec.';
CREATE TABLE public.rollout_wave (
    rollout_id uuid NOT NULL,
    ordinal integer NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    promoted boolean DEFAULT false NOT NULL,
    soak_until timestamp with time zone,
    started_at timestamp with time zone,
    ended_at timestamp with time zone,
    CONSTRAINT rollout_wave_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'running'::text, 'soaking'::text, 'passed'::text, 'failed'::text])))
);
COMMENT ON TABLE public.rollout_wave IS 'A part of a rollout''s devices that goes together.';
CREATE TABLE public.root_key_copy (
    root_key_id text NOT NULL,
    copied_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.root_key_copy IS 'Root keys of which a backup of the installation made a copy. It holds no key.';
CREATE TABLE public.saved_selector (
    name text NOT NULL,
    selector text NOT NULL,
    description text DEFAULT ''::text NOT NULL,
    updated_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT saved_selector_name_is_a_word CHECK ((name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'::text))
);
COMMENT ON TABLE public.saved_selector IS 'A selector under a name; @name in another selector stands for it.';
CREATE TABLE public.schedule (
    id uuid NOT NULL,
    name text NOT NULL,
    cron text,
    every_seconds integer,
    time_zone text NOT NULL,
    template jsonb NOT NULL,
    missed text DEFAULT 'once'::text NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    quarantined_at timestamp with time zone,
    next_run_at timestamp with time zone,
    last_run_at timestamp with time zone,
    last_rollout_id uuid,
    last_error text,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    operator_id uuid,
    created_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    CONSTRAINT schedule_enabled_has_a_next CHECK (((NOT enabled) OR (next_run_at IS NOT NULL))),
    CONSTRAINT schedule_has_one_rhythm CHECK (((cron IS NULL) <> (every_seconds IS NULL))),
    CONSTRAINT schedule_missed_is_known CHECK ((missed = ANY (ARRAY['once'::text, 'skip'::text]))),
    CONSTRAINT schedule_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 120))),
    CONSTRAINT schedule_pace_is_sane CHECK (((every_seconds >= 60) AND (every_seconds <= 31622400)))
);
COMMENT ON TABLE public.schedule IS 'Starts a rollout from a template, again and again.';
COMMENT ON COLUMN public.schedule.quarantined_at IS 'When it was stopped, because it took its processes down.';
CREATE TABLE public.schema_release (
    migration text NOT NULL,
    version text NOT NULL,
    ran_at timestamp with time zone DEFAULT now() NOT NULL
);
COMMENT ON TABLE public.schema_release IS 'The version of Fleetgate that ran each migration, from this one on. An older version reads it to say what is needed.';
CREATE TABLE public.sealed_value (
    id uuid NOT NULL,
    label text NOT NULL,
    sealed_content bytea NOT NULL,
    device_id uuid,
    job_id uuid,
    name text,
    policy_id uuid,
    operator_id uuid,
    created_by text NOT NULL,
    created_by_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    expires_at timestamp with time zone NOT NULL,
    sealed_content_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_content)) STORED,
    CONSTRAINT sealed_value_of_a_job_has_a_name CHECK (((job_id IS NULL) = (name IS NULL)))
);
COMMENT ON TABLE public.sealed_value IS 'A password or key that a job uses or made. Jobs name it by id; it is opened into a request to a device, or for an operator who may, with an audit entry.';
COMMENT ON COLUMN public.sealed_value.job_id IS 'The job that made it; null for one that an operator gave.';
COMMENT ON COLUMN public.sealed_value.policy_id IS 'The backup policy whose copy of a passphrase this is: only its backups, and restores of them, may use it. No foreign key: it outlives the policy, as its backups do.';
COMMENT ON COLUMN public.sealed_value.operator_id IS 'Whose jobs alone may use a value that an operator gave. A value that has no operator, no job and no policy is used by no job.';
CREATE TABLE public.secret_holder (
    id uuid NOT NULL,
    knows uuid[] NOT NULL,
    seals_with uuid,
    root_keys text[] NOT NULL,
    seen_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.secret_holder IS 'Processes that hold keys, and which: no key is used before all that live know it. By the clock of the database.';
CREATE TABLE public.setup_token (
    hash bytea NOT NULL,
    expires_at timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.setup_token IS 'Digests of the tokens printed at starts without an operator; one of them makes the first administrator.';
CREATE TABLE public.system_warning (
    code text NOT NULL,
    since timestamp with time zone NOT NULL
);
COMMENT ON TABLE public.system_warning IS 'What running processes warn of now.';
CREATE TABLE public.webhook (
    id uuid NOT NULL,
    name text NOT NULL,
    url text NOT NULL,
    types text[] NOT NULL,
    sealed_secret bytea NOT NULL,
    enabled boolean DEFAULT true NOT NULL,
    quarantined_at timestamp with time zone,
    seen_tx xid8 DEFAULT pg_current_xact_id() NOT NULL,
    seen_id bigint DEFAULT 0 NOT NULL,
    operator_id uuid,
    created_by text,
    created_by_name text NOT NULL,
    created_at timestamp with time zone NOT NULL,
    version integer DEFAULT 1 NOT NULL,
    sealed_secret_key uuid GENERATED ALWAYS AS (public.fleetgate_key_of(sealed_secret)) STORED,
    CONSTRAINT webhook_name_is_short CHECK (((length(name) >= 1) AND (length(name) <= 120)))
);
COMMENT ON TABLE public.webhook IS 'Where events are sent to. seen_* is how far they have been turned into deliveries.';
COMMENT ON COLUMN public.webhook.quarantined_at IS 'When it was stopped, because it took its processes down.';
COMMENT ON COLUMN public.webhook.created_by IS 'The key or session of who changed it last; null: from before this was kept.';
CREATE TABLE public.webhook_delivery (
    id uuid DEFAULT gen_random_uuid() NOT NULL,
    webhook_id uuid NOT NULL,
    event_tx xid8 NOT NULL,
    event_id bigint NOT NULL,
    type text NOT NULL,
    message jsonb NOT NULL,
    state text DEFAULT 'waiting'::text NOT NULL,
    attempts integer DEFAULT 0 NOT NULL,
    due_at timestamp with time zone NOT NULL,
    status integer,
    error text,
    ms integer,
    created_at timestamp with time zone NOT NULL,
    ended_at timestamp with time zone,
    CONSTRAINT webhook_delivery_state_is_known CHECK ((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'failed'::text])))
);
COMMENT ON TABLE public.webhook_delivery IS 'One event for one webhook: what was sent, how often it was tried, what came back.';
CREATE TABLE public.work_mark (
    kind text NOT NULL,
    row_id uuid NOT NULL,
    owner text,
    held_until timestamp with time zone,
    lost integer DEFAULT 0 NOT NULL,
    alone boolean DEFAULT false NOT NULL,
    lost_by text,
    lost_at timestamp with time zone,
    quiet_until timestamp with time zone,
    CONSTRAINT work_mark_is_held_by_an_owner CHECK (((owner IS NULL) = (held_until IS NULL)))
);
COMMENT ON TABLE public.work_mark IS 'Rows that a process has in hand, and those that processes were lost with. A mark is taken back when the work is done.';
COMMENT ON COLUMN public.work_mark.lost IS 'Processes that were lost in a row with it in hand.';
COMMENT ON COLUMN public.work_mark.alone IS 'Whether the process that was lost last had nothing else in hand.';
COMMENT ON COLUMN public.work_mark.lost_by IS 'The process that was lost last while it worked on it.';
COMMENT ON COLUMN public.work_mark.lost_at IS 'When that was noticed.';
COMMENT ON COLUMN public.work_mark.quiet_until IS 'Until when everything else waits, so that it is tried with nothing beside it.';
ALTER TABLE ONLY public.migrations ALTER COLUMN id SET DEFAULT nextval('public.migrations_id_seq'::regclass);
INSERT INTO public.migrations VALUES (1, 1795428000000, 'Foundation1795428000000');
INSERT INTO public.migrations VALUES (2, 1795428600000, 'Secrets1795428600000');
INSERT INTO public.migrations VALUES (3, 1795429200000, 'Operators1795429200000');
INSERT INTO public.migrations VALUES (4, 1795429800000, 'Rights1795429800000');
INSERT INTO public.migrations VALUES (5, 1795430400000, 'Requests1795430400000');
INSERT INTO public.migrations VALUES (6, 1795431000000, 'Audit1795431000000');
INSERT INTO public.migrations VALUES (7, 1795431600000, 'Devices1795431600000');
INSERT INTO public.migrations VALUES (8, 1795432200000, 'Jobs1795432200000');
INSERT INTO public.migrations VALUES (9, 1795432800000, 'Artifacts1795432800000');
INSERT INTO public.migrations VALUES (10, 1795433400000, 'Backups1795433400000');
INSERT INTO public.migrations VALUES (11, 1795434000000, 'Rollouts1795434000000');
INSERT INTO public.migrations VALUES (12, 1795434600000, 'Events1795434600000');
INSERT INTO public.migrations VALUES (13, 1795435200000, 'Fleet1795435200000');
INSERT INTO public.migrations VALUES (14, 1795435800000, 'DeviceNotes1795435800000');
INSERT INTO public.migrations VALUES (15, 1795436400000, 'Processes1795436400000');
INSERT INTO public.migrations VALUES (16, 1795437000000, 'DeviceFields1795437000000');
INSERT INTO public.migrations VALUES (17, 1795437600000, 'FanOuts1795437600000');
INSERT INTO public.migrations VALUES (18, 1795446600000, 'Discovery1795446600000');
INSERT INTO public.migrations VALUES (19, 1795514400000, 'Availability1795514400000');
INSERT INTO public.migrations VALUES (20, 1795600800000, 'NetworkOperator1795600800000');
INSERT INTO public.role VALUES ('viewer', true, '', '[]', 1, '2026-11-25 18:33:53.318553+00');
INSERT INTO public.role VALUES ('operator', true, '', '[]', 1, '2026-11-25 18:33:53.318553+00');
INSERT INTO public.role VALUES ('deployer', true, '', '[]', 1, '2026-11-25 18:33:53.318553+00');
INSERT INTO public.role VALUES ('security', true, '', '[]', 1, '2026-11-25 18:33:53.318553+00');
INSERT INTO public.role VALUES ('auditor', true, '', '[]', 1, '2026-11-25 18:33:53.318553+00');
INSERT INTO public.role VALUES ('administrator', true, '', '[]', 1, '2026-11-25 18:33:53.318553+00');
INSERT INTO public.schema_release VALUES ('Foundation1795428000000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Secrets1795428600000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Operators1795429200000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Rights1795429800000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Requests1795430400000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Audit1795431000000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Devices1795431600000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Jobs1795432200000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Artifacts1795432800000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Backups1795433400000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Rollouts1795434000000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Events1795434600000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Fleet1795435200000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('DeviceNotes1795435800000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Processes1795436400000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('DeviceFields1795437000000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('FanOuts1795437600000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Discovery1795446600000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('Availability1795514400000', '0.1.0', '2026-11-25 18:33:53.645038+00');
INSERT INTO public.schema_release VALUES ('NetworkOperator1795600800000', '0.1.0', '2026-11-25 18:33:53.645038+00');
SELECT pg_catalog.setval('public.device_change_id_seq', 1, false);
SELECT pg_catalog.setval('public.event_id_seq', 1, false);
SELECT pg_catalog.setval('public.migrations_id_seq', 20, true);
ALTER TABLE ONLY public.migrations
    ADD CONSTRAINT "PK_8c82d7f526340ab734260ea46be" PRIMARY KEY (id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_prefix_is_unique UNIQUE (prefix);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.artifact
    ADD CONSTRAINT artifact_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.artifact_reservation
    ADD CONSTRAINT artifact_reservation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.artifact_use
    ADD CONSTRAINT artifact_use_pkey PRIMARY KEY (artifact_id, job_id);
ALTER TABLE ONLY public.audit_checkpoint
    ADD CONSTRAINT audit_checkpoint_pkey PRIMARY KEY (size);
ALTER TABLE ONLY public.audit_entry
    ADD CONSTRAINT audit_entry_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_leaf
    ADD CONSTRAINT audit_leaf_pkey PRIMARY KEY (sequence);
ALTER TABLE ONLY public.audit_leaf
    ADD CONSTRAINT audit_leaf_row_has_one_place UNIQUE (row_id, kind);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_is_one UNIQUE (only_one);
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.audit_node
    ADD CONSTRAINT audit_node_pkey PRIMARY KEY (height, "position");
ALTER TABLE ONLY public.audit_outcome
    ADD CONSTRAINT audit_outcome_pkey PRIMARY KEY (entry_id);
ALTER TABLE ONLY public.audit_segment
    ADD CONSTRAINT audit_segment_pkey PRIMARY KEY (number);
ALTER TABLE ONLY public.audit_witness
    ADD CONSTRAINT audit_witness_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.backup_account
    ADD CONSTRAINT backup_account_once_per_purpose UNIQUE (artifact_id, purpose);
ALTER TABLE ONLY public.backup_account
    ADD CONSTRAINT backup_account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.backup_content
    ADD CONSTRAINT backup_content_pkey PRIMARY KEY (artifact_id);
ALTER TABLE ONLY public.backup_policy
    ADD CONSTRAINT backup_policy_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.data_key
    ADD CONSTRAINT data_key_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_purpose_is_unique UNIQUE (device_id, purpose);
ALTER TABLE ONLY public.device_certificate
    ADD CONSTRAINT device_certificate_pkey PRIMARY KEY (device_id, fullname);
ALTER TABLE ONLY public.device_change
    ADD CONSTRAINT device_change_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.device_field
    ADD CONSTRAINT device_field_pkey PRIMARY KEY (key);
ALTER TABLE ONLY public.device
    ADD CONSTRAINT device_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.discovery_credentials
    ADD CONSTRAINT discovery_credentials_have_an_order UNIQUE (discovery_id, ordinal);
ALTER TABLE ONLY public.discovery_credentials
    ADD CONSTRAINT discovery_credentials_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.discovery_find
    ADD CONSTRAINT discovery_find_has_a_place UNIQUE (discovery_id, "position");
ALTER TABLE ONLY public.discovery_find
    ADD CONSTRAINT discovery_find_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.discovery_login
    ADD CONSTRAINT discovery_login_is_one_for_a_device UNIQUE (credentials_id, identity);
ALTER TABLE ONLY public.discovery_login
    ADD CONSTRAINT discovery_login_pkey PRIMARY KEY (credentials_id, address);
ALTER TABLE ONLY public.discovery
    ADD CONSTRAINT discovery_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.event
    ADD CONSTRAINT event_pkey PRIMARY KEY (tx, id);
ALTER TABLE ONLY public.fan_out_answer
    ADD CONSTRAINT fan_out_answer_id_is_unique UNIQUE (id);
ALTER TABLE ONLY public.fan_out_answer
    ADD CONSTRAINT fan_out_answer_pkey PRIMARY KEY (fan_out_id, digest);
ALTER TABLE ONLY public.fan_out_device
    ADD CONSTRAINT fan_out_device_pkey PRIMARY KEY (fan_out_id, device_id);
ALTER TABLE ONLY public.fan_out
    ADD CONSTRAINT fan_out_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.fleet_import
    ADD CONSTRAINT fleet_import_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.gateway_process
    ADD CONSTRAINT gateway_process_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_id_is_unique UNIQUE (id);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_pkey PRIMARY KEY (actor, key);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_is_one_of_an_operator UNIQUE (operator_id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.job_event
    ADD CONSTRAINT job_event_pkey PRIMARY KEY (job_id, ordinal);
ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.key_rotation
    ADD CONSTRAINT key_rotation_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.lock
    ADD CONSTRAINT lock_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_identity
    ADD CONSTRAINT operator_identity_pkey PRIMARY KEY (issuer, subject);
ALTER TABLE ONLY public.operator_password
    ADD CONSTRAINT operator_password_pkey PRIMARY KEY (operator_id);
ALTER TABLE ONLY public.operator
    ADD CONSTRAINT operator_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_role
    ADD CONSTRAINT operator_role_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_session
    ADD CONSTRAINT operator_session_hash_is_unique UNIQUE (hash);
ALTER TABLE ONLY public.operator_session
    ADD CONSTRAINT operator_session_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.operator_totp
    ADD CONSTRAINT operator_totp_pkey PRIMARY KEY (operator_id);
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_pkey PRIMARY KEY (operator_id, hash);
ALTER TABLE ONLY public.role
    ADD CONSTRAINT role_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.rollout
    ADD CONSTRAINT rollout_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.rollout_target
    ADD CONSTRAINT rollout_target_pkey PRIMARY KEY (rollout_id, device_id);
ALTER TABLE ONLY public.rollout_wave
    ADD CONSTRAINT rollout_wave_pkey PRIMARY KEY (rollout_id, ordinal);
ALTER TABLE ONLY public.root_key_copy
    ADD CONSTRAINT root_key_copy_pkey PRIMARY KEY (root_key_id);
ALTER TABLE ONLY public.saved_selector
    ADD CONSTRAINT saved_selector_pkey PRIMARY KEY (name);
ALTER TABLE ONLY public.schedule
    ADD CONSTRAINT schedule_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.schema_release
    ADD CONSTRAINT schema_release_pkey PRIMARY KEY (migration);
ALTER TABLE ONLY public.sealed_value
    ADD CONSTRAINT sealed_value_once_per_job_and_name UNIQUE (job_id, name);
ALTER TABLE ONLY public.sealed_value
    ADD CONSTRAINT sealed_value_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.secret_holder
    ADD CONSTRAINT secret_holder_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.setup_token
    ADD CONSTRAINT setup_token_pkey PRIMARY KEY (hash);
ALTER TABLE ONLY public.system_warning
    ADD CONSTRAINT system_warning_pkey PRIMARY KEY (code);
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_is_once_for_an_event UNIQUE (webhook_id, event_tx, event_id);
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_pkey PRIMARY KEY (id);
ALTER TABLE ONLY public.work_mark
    ADD CONSTRAINT work_mark_pkey PRIMARY KEY (kind, row_id);
CREATE INDEX api_key_operator_idx ON public.api_key USING btree (operator_id);
CREATE UNIQUE INDEX approval_is_asked_for_once ON public.approval USING btree (requested_by, action, digest) WHERE (state = 'pending'::text);
CREATE INDEX approval_requested_idx ON public.approval USING btree (requested_at, id);
CREATE INDEX artifact_backup_idx ON public.artifact USING btree (device_id, created_at DESC) WHERE (kind = 'backup'::text);
CREATE INDEX artifact_device_idx ON public.artifact USING btree (device_id, created_at DESC, id DESC);
CREATE INDEX artifact_digest_idx ON public.artifact USING btree (sha256);
CREATE INDEX artifact_job_idx ON public.artifact USING btree (job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX artifact_list_idx ON public.artifact USING btree (created_at DESC, id DESC);
CREATE INDEX artifact_use_job_idx ON public.artifact_use USING btree (job_id);
CREATE INDEX audit_checkpoint_set_back_idx ON public.audit_checkpoint USING btree (size) WHERE (set_back_from IS NOT NULL);
CREATE INDEX audit_entry_device_idx ON public.audit_entry USING btree (device_id, opened_at DESC, id DESC) WHERE (device_id IS NOT NULL);
CREATE INDEX audit_entry_job_idx ON public.audit_entry USING btree (job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX audit_entry_operation_idx ON public.audit_entry USING btree (operation_id) WHERE (operation_id IS NOT NULL);
CREATE INDEX audit_entry_time_idx ON public.audit_entry USING btree (opened_at DESC, id DESC);
CREATE INDEX audit_entry_written_idx ON public.audit_entry USING btree (written_in);
CREATE INDEX audit_log_sealed_key_key_idx ON public.audit_log USING btree (sealed_key_key);
CREATE INDEX audit_outcome_written_idx ON public.audit_outcome USING btree (written_in);
CREATE INDEX backup_account_sealed_password_key_idx ON public.backup_account USING btree (sealed_password_key);
CREATE INDEX backup_policy_due_idx ON public.backup_policy USING btree (next_run_at) WHERE enabled;
CREATE UNIQUE INDEX backup_policy_name_is_unique ON public.backup_policy USING btree (lower(name));
CREATE UNIQUE INDEX data_key_one_is_active ON public.data_key USING btree (active) WHERE active;
CREATE INDEX device_account_read_idx ON public.device_account USING btree (device_id) WHERE (purpose = 'read'::text);
CREATE INDEX device_account_sealed_password_key_idx ON public.device_account USING btree (sealed_password_key);
CREATE INDEX device_account_sealed_pending_key_idx ON public.device_account USING btree (sealed_pending_key);
CREATE UNIQUE INDEX device_base_url_is_unique ON public.device USING btree (base_url);
CREATE INDEX device_certificate_expiry_idx ON public.device_certificate USING btree (not_after, device_id, fullname);
CREATE INDEX device_change_list_idx ON public.device_change USING btree (device_id, id DESC);
CREATE INDEX device_change_state_idx ON public.device_change USING btree (at) WHERE (field = 'state'::text);
CREATE INDEX device_list_idx ON public.device USING btree (created_at, id);
CREATE UNIQUE INDEX device_mac_is_unique ON public.device USING btree (mac) WHERE (mac IS NOT NULL);
CREATE UNIQUE INDEX device_name_is_unique ON public.device USING btree (lower(name));
CREATE INDEX device_probe_idx ON public.device USING btree (probe_at);
CREATE UNIQUE INDEX device_serial_is_unique ON public.device USING btree (serial) WHERE (serial IS NOT NULL);
CREATE INDEX device_site_idx ON public.device USING btree (site, created_at, id);
CREATE INDEX device_state_idx ON public.device USING btree (state, created_at, id);
CREATE INDEX device_tags_idx ON public.device USING gin (tags);
CREATE INDEX discovery_credentials_sealed_password_key_idx ON public.discovery_credentials USING btree (sealed_password_key);
CREATE INDEX discovery_find_known_idx ON public.discovery_find USING btree (known_device_id);
CREATE INDEX discovery_list_idx ON public.discovery USING btree (created_at, id);
CREATE INDEX discovery_open_idx ON public.discovery USING btree (created_at) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX event_age_idx ON public.event USING btree (at);
CREATE INDEX fan_out_answer_sealed_body_key_idx ON public.fan_out_answer USING btree (sealed_body_key);
CREATE INDEX fan_out_ended_idx ON public.fan_out USING btree (ended_at);
CREATE INDEX fan_out_list_idx ON public.fan_out USING btree (created_at DESC, id DESC);
CREATE INDEX fan_out_operator_idx ON public.fan_out USING btree (operator_id, created_at DESC, id DESC);
CREATE INDEX fan_out_retries_idx ON public.fan_out USING btree (retry_of) WHERE (retry_of IS NOT NULL);
CREATE INDEX fan_out_sealed_request_key_idx ON public.fan_out USING btree (sealed_request_key);
CREATE INDEX fleet_import_ended_idx ON public.fleet_import USING btree (ended_at);
CREATE INDEX idempotency_key_age_idx ON public.idempotency_key USING btree (created_at);
CREATE INDEX idempotency_key_sealed_answer_key_idx ON public.idempotency_key USING btree (sealed_answer_key);
CREATE INDEX job_deadline_idx ON public.job USING btree (deadline_at) WHERE (phase = 'queued'::text);
CREATE INDEX job_device_idx ON public.job USING btree (device_id, created_at DESC, id DESC);
CREATE INDEX job_due_idx ON public.job USING btree (is_bulk, wake_at, id) WHERE (phase = 'queued'::text);
CREATE UNIQUE INDEX job_is_alone_on_its_device ON public.job USING btree (device_id) WHERE (phase = ANY (ARRAY['dispatched'::text, 'running'::text]));
CREATE INDEX job_list_idx ON public.job USING btree (created_at DESC, id DESC);
CREATE INDEX job_lost_by_idx ON public.job USING btree (lost_by) WHERE (lost_by IS NOT NULL);
CREATE INDEX job_open_idx ON public.job USING btree (device_id, created_at, id) WHERE (phase <> 'ended'::text);
CREATE INDEX job_suspect_idx ON public.job USING btree (id) WHERE ((lost_workers > 0) AND (phase <> 'ended'::text));
CREATE INDEX job_unclaimed_idx ON public.job USING btree (owner) WHERE (phase = 'dispatched'::text);
CREATE UNIQUE INDEX key_rotation_is_alone ON public.key_rotation USING btree ((true)) WHERE (ended_at IS NULL);
CREATE INDEX lock_in_force_idx ON public.lock USING btree (created_at) WHERE (lifted_at IS NULL);
CREATE INDEX operator_identity_operator_idx ON public.operator_identity USING btree (operator_id);
CREATE UNIQUE INDEX operator_name_is_unique ON public.operator USING btree (lower(name));
CREATE UNIQUE INDEX operator_role_is_given_once ON public.operator_role USING btree (operator_id, role, COALESCE(selector, ''::text));
CREATE INDEX operator_role_role_idx ON public.operator_role USING btree (role);
CREATE INDEX operator_session_ends_idx ON public.operator_session USING btree (ends_at);
CREATE INDEX operator_session_operator_idx ON public.operator_session USING btree (operator_id);
CREATE INDEX operator_totp_sealed_seed_key_idx ON public.operator_totp USING btree (sealed_seed_key);
CREATE INDEX rollout_list_idx ON public.rollout USING btree (created_at DESC, id DESC);
CREATE INDEX rollout_open_idx ON public.rollout USING btree (id) WHERE (state = ANY (ARRAY['scheduled'::text, 'running'::text, 'paused'::text, 'aborting'::text]));
CREATE UNIQUE INDEX rollout_target_is_alone_on_its_device ON public.rollout_target USING btree (device_id) WHERE (state = ANY (ARRAY['queued'::text, 'running'::text]));
CREATE INDEX rollout_target_job_idx ON public.rollout_target USING btree (job_id) WHERE (job_id IS NOT NULL);
CREATE INDEX rollout_target_open_idx ON public.rollout_target USING btree (device_id) WHERE (state = ANY (ARRAY['waiting'::text, 'offline'::text, 'queued'::text, 'running'::text]));
CREATE INDEX rollout_target_state_idx ON public.rollout_target USING btree (rollout_id, wave, state, "position");
CREATE INDEX schedule_due_idx ON public.schedule USING btree (next_run_at) WHERE enabled;
CREATE UNIQUE INDEX schedule_name_is_unique ON public.schedule USING btree (lower(name));
CREATE INDEX sealed_value_device_idx ON public.sealed_value USING btree (device_id) WHERE (device_id IS NOT NULL);
CREATE INDEX sealed_value_expires_idx ON public.sealed_value USING btree (expires_at);
CREATE INDEX sealed_value_list_idx ON public.sealed_value USING btree (created_at DESC, id DESC);
CREATE INDEX sealed_value_sealed_content_key_idx ON public.sealed_value USING btree (sealed_content_key);
CREATE INDEX webhook_delivery_age_idx ON public.webhook_delivery USING btree (created_at);
CREATE INDEX webhook_delivery_due_idx ON public.webhook_delivery USING btree (due_at) WHERE (state = 'waiting'::text);
CREATE INDEX webhook_delivery_list_idx ON public.webhook_delivery USING btree (webhook_id, created_at DESC, id DESC);
CREATE UNIQUE INDEX webhook_name_is_unique ON public.webhook USING btree (lower(name));
CREATE INDEX webhook_sealed_secret_key_idx ON public.webhook USING btree (sealed_secret_key);
CREATE TRIGGER api_key_tells_delete AFTER DELETE ON public.api_key REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('api_key', 'id', '{last_used_at,last_used_address}');
CREATE TRIGGER api_key_tells_insert AFTER INSERT ON public.api_key REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('api_key', 'id', '{last_used_at,last_used_address}');
CREATE TRIGGER api_key_tells_update AFTER UPDATE ON public.api_key REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('api_key', 'id', '{last_used_at,last_used_address}');
CREATE TRIGGER approval_makes_events AFTER INSERT OR UPDATE OF state ON public.approval FOR EACH ROW EXECUTE FUNCTION public.event_of_approval();
CREATE TRIGGER artifact_makes_events AFTER INSERT OR DELETE ON public.artifact FOR EACH ROW EXECUTE FUNCTION public.event_of_artifact();
CREATE TRIGGER audit_checkpoint_makes_events AFTER INSERT ON public.audit_checkpoint FOR EACH ROW EXECUTE FUNCTION public.event_of_checkpoint();
CREATE TRIGGER backup_policy_makes_event_of_quarantine AFTER UPDATE OF quarantined_at ON public.backup_policy FOR EACH ROW WHEN ((new.quarantined_at > COALESCE(old.quarantined_at, '-infinity'::timestamp with time zone))) EXECUTE FUNCTION public.event_of_quarantine('backup');
CREATE TRIGGER data_key_tells_delete AFTER DELETE ON public.data_key REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('data_key', 'id', '{}');
CREATE TRIGGER data_key_tells_insert AFTER INSERT ON public.data_key REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('data_key', 'id', '{}');
CREATE TRIGGER data_key_tells_update AFTER UPDATE ON public.data_key REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('data_key', 'id', '{}');
CREATE TRIGGER device_account_tells_delete AFTER DELETE ON public.device_account REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('device', 'device_id', '{reserved_logins,reserved_until}');
CREATE TRIGGER device_account_tells_insert AFTER INSERT ON public.device_account REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('device', 'device_id', '{reserved_logins,reserved_until}');
CREATE TRIGGER device_account_tells_update AFTER UPDATE ON public.device_account REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('device', 'device_id', '{reserved_logins,reserved_until}');
CREATE TRIGGER device_makes_events AFTER INSERT OR DELETE OR UPDATE OF state, firmware ON public.device FOR EACH ROW EXECUTE FUNCTION public.event_of_device();
CREATE TRIGGER device_tells_delete AFTER DELETE ON public.device REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('device', 'id', '{seen_at,probe_at,identify_at}');
CREATE TRIGGER device_tells_insert AFTER INSERT ON public.device REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('device', 'id', '{seen_at,probe_at,identify_at}');
CREATE TRIGGER device_tells_update AFTER UPDATE ON public.device REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('device', 'id', '{seen_at,probe_at,identify_at}');
CREATE TRIGGER discovery_makes_events AFTER INSERT OR UPDATE OF ended_at ON public.discovery FOR EACH ROW EXECUTE FUNCTION public.event_of_discovery();
CREATE TRIGGER fan_out_makes_events AFTER INSERT OR UPDATE OF state ON public.fan_out FOR EACH ROW EXECUTE FUNCTION public.event_of_fan_out();
CREATE TRIGGER job_keeps_its_device BEFORE DELETE ON public.device FOR EACH ROW EXECUTE FUNCTION public.job_keeps_its_device();
CREATE TRIGGER job_makes_event_of_quarantine AFTER UPDATE OF phase ON public.job FOR EACH ROW WHEN (((old.phase <> 'ended'::text) AND (new.phase = 'ended'::text) AND ((new.failure ->> 'code'::text) = 'quarantined'::text))) EXECUTE FUNCTION public.event_of_quarantined_job();
CREATE TRIGGER job_makes_events AFTER INSERT OR UPDATE OF phase ON public.job FOR EACH ROW EXECUTE FUNCTION public.event_of_job();
CREATE TRIGGER lock_makes_events AFTER INSERT OR UPDATE OF lifted_at ON public.lock FOR EACH ROW EXECUTE FUNCTION public.event_of_lock();
CREATE TRIGGER lock_tells_delete AFTER DELETE ON public.lock REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('locks', 'id', '{}');
CREATE TRIGGER lock_tells_insert AFTER INSERT ON public.lock REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('locks', 'id', '{}');
CREATE TRIGGER lock_tells_update AFTER UPDATE ON public.lock REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('locks', 'id', '{}');
CREATE TRIGGER operator_role_tells_delete AFTER DELETE ON public.operator_role REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('rights', 'operator_id', '{}');
CREATE TRIGGER operator_role_tells_insert AFTER INSERT ON public.operator_role REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('rights', 'operator_id', '{}');
CREATE TRIGGER operator_role_tells_update AFTER UPDATE ON public.operator_role REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('rights', 'operator_id', '{}');
CREATE TRIGGER operator_session_tells_delete AFTER DELETE ON public.operator_session REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('operator_session', 'id', '{last_seen_at,last_seen_address}');
CREATE TRIGGER operator_session_tells_insert AFTER INSERT ON public.operator_session REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('operator_session', 'id', '{last_seen_at,last_seen_address}');
CREATE TRIGGER operator_session_tells_update AFTER UPDATE ON public.operator_session REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('operator_session', 'id', '{last_seen_at,last_seen_address}');
CREATE TRIGGER operator_tells_delete AFTER DELETE ON public.operator REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('operator', 'id', '{}');
CREATE TRIGGER operator_tells_insert AFTER INSERT ON public.operator REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('operator', 'id', '{}');
CREATE TRIGGER operator_tells_update AFTER UPDATE ON public.operator REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('operator', 'id', '{}');
CREATE TRIGGER role_tells_delete AFTER DELETE ON public.role REFERENCING OLD TABLE AS rows_before FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('rights', 'name', '{}');
CREATE TRIGGER role_tells_insert AFTER INSERT ON public.role REFERENCING NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('rights', 'name', '{}');
CREATE TRIGGER role_tells_update AFTER UPDATE ON public.role REFERENCING OLD TABLE AS rows_before NEW TABLE AS rows_after FOR EACH STATEMENT EXECUTE FUNCTION public.fleetgate_tell_changes('rights', 'name', '{}');
CREATE TRIGGER rollout_makes_event_of_quarantine AFTER UPDATE OF pause_cause ON public.rollout FOR EACH ROW WHEN (((new.pause_cause = 'quarantined'::text) AND (old.pause_cause IS DISTINCT FROM 'quarantined'::text))) EXECUTE FUNCTION public.event_of_quarantine('rollout');
CREATE TRIGGER rollout_makes_events AFTER INSERT OR UPDATE OF state ON public.rollout FOR EACH ROW EXECUTE FUNCTION public.event_of_rollout();
CREATE TRIGGER rollout_wave_makes_events AFTER UPDATE OF state ON public.rollout_wave FOR EACH ROW EXECUTE FUNCTION public.event_of_wave();
CREATE TRIGGER schedule_makes_event_of_quarantine AFTER UPDATE OF quarantined_at ON public.schedule FOR EACH ROW WHEN ((new.quarantined_at > COALESCE(old.quarantined_at, '-infinity'::timestamp with time zone))) EXECUTE FUNCTION public.event_of_quarantine('schedule');
CREATE TRIGGER system_warning_makes_events AFTER INSERT ON public.system_warning FOR EACH ROW EXECUTE FUNCTION public.event_of_warning();
CREATE TRIGGER webhook_makes_event_of_quarantine AFTER UPDATE OF quarantined_at ON public.webhook FOR EACH ROW WHEN ((new.quarantined_at > COALESCE(old.quarantined_at, '-infinity'::timestamp with time zone))) EXECUTE FUNCTION public.event_of_quarantine('webhook');
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_replaces_another FOREIGN KEY (replaces_id) REFERENCES public.api_key(id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT api_key_was_issued_by_an_operator FOREIGN KEY (issued_by) REFERENCES public.operator(id);
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_was_asked_for_by_an_operator FOREIGN KEY (requested_by) REFERENCES public.operator(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.approval
    ADD CONSTRAINT approval_was_decided_by_an_operator FOREIGN KEY (decided_by) REFERENCES public.operator(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.artifact_use
    ADD CONSTRAINT artifact_use_belongs_to_a_job FOREIGN KEY (job_id) REFERENCES public.job(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.audit_log
    ADD CONSTRAINT audit_log_sealed_key_keeps_its_key_alive FOREIGN KEY (sealed_key_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.backup_account
    ADD CONSTRAINT backup_account_belongs_to_a_backup FOREIGN KEY (artifact_id) REFERENCES public.artifact(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.backup_account
    ADD CONSTRAINT backup_account_sealed_password_keeps_its_key_alive FOREIGN KEY (sealed_password_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.backup_content
    ADD CONSTRAINT backup_content_belongs_to_an_artifact FOREIGN KEY (artifact_id) REFERENCES public.artifact(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_belongs_to_a_device FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_sealed_password_keeps_its_key_alive FOREIGN KEY (sealed_password_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.device_account
    ADD CONSTRAINT device_account_sealed_pending_keeps_its_key_alive FOREIGN KEY (sealed_pending_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.device_certificate
    ADD CONSTRAINT device_certificate_belongs_to_a_device FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.device_change
    ADD CONSTRAINT device_change_is_of_a_device FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.discovery_credentials
    ADD CONSTRAINT discovery_credentials_belong_to_a_run FOREIGN KEY (discovery_id) REFERENCES public.discovery(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.discovery_credentials
    ADD CONSTRAINT discovery_credentials_sealed_password_keeps_its_key_alive FOREIGN KEY (sealed_password_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.discovery_find
    ADD CONSTRAINT discovery_find_belongs_to_a_run FOREIGN KEY (discovery_id) REFERENCES public.discovery(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.discovery_find
    ADD CONSTRAINT discovery_find_forgets_removed_devices FOREIGN KEY (known_device_id) REFERENCES public.device(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.discovery_login
    ADD CONSTRAINT discovery_login_uses_credentials_of_its_run FOREIGN KEY (credentials_id) REFERENCES public.discovery_credentials(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.fan_out_answer
    ADD CONSTRAINT fan_out_answer_is_of_a_fan_out FOREIGN KEY (fan_out_id) REFERENCES public.fan_out(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.fan_out_answer
    ADD CONSTRAINT fan_out_answer_sealed_body_keeps_its_key_alive FOREIGN KEY (sealed_body_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.fan_out_device
    ADD CONSTRAINT fan_out_device_is_of_a_fan_out FOREIGN KEY (fan_out_id) REFERENCES public.fan_out(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.fan_out
    ADD CONSTRAINT fan_out_retries_another FOREIGN KEY (retry_of) REFERENCES public.fan_out(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.fan_out
    ADD CONSTRAINT fan_out_sealed_request_keeps_its_key_alive FOREIGN KEY (sealed_request_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.idempotency_key
    ADD CONSTRAINT idempotency_key_sealed_answer_keeps_its_key_alive FOREIGN KEY (sealed_answer_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.invitation
    ADD CONSTRAINT invitation_was_issued_by_an_operator FOREIGN KEY (issued_by) REFERENCES public.operator(id);
ALTER TABLE ONLY public.job_event
    ADD CONSTRAINT job_event_belongs_to_a_job FOREIGN KEY (job_id) REFERENCES public.job(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_is_for_a_device FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.job
    ADD CONSTRAINT job_was_started_by_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.operator_identity
    ADD CONSTRAINT operator_identity_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.operator_password
    ADD CONSTRAINT operator_password_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.operator_role
    ADD CONSTRAINT operator_role_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.operator_role
    ADD CONSTRAINT operator_role_keeps_its_role FOREIGN KEY (role) REFERENCES public.role(name);
ALTER TABLE ONLY public.operator_session
    ADD CONSTRAINT operator_session_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.operator_totp
    ADD CONSTRAINT operator_totp_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.operator_totp
    ADD CONSTRAINT operator_totp_sealed_seed_keeps_its_key_alive FOREIGN KEY (sealed_seed_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT recovery_code_belongs_to_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id);
ALTER TABLE ONLY public.rollout
    ADD CONSTRAINT rollout_rolls_back_a_rollout FOREIGN KEY (rolls_back) REFERENCES public.rollout(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.rollout_target
    ADD CONSTRAINT rollout_target_belongs_to_a_rollout FOREIGN KEY (rollout_id) REFERENCES public.rollout(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.rollout_target
    ADD CONSTRAINT rollout_target_is_of_a_wave FOREIGN KEY (rollout_id, wave) REFERENCES public.rollout_wave(rollout_id, ordinal) ON DELETE CASCADE;
ALTER TABLE ONLY public.rollout
    ADD CONSTRAINT rollout_was_made_by_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.rollout
    ADD CONSTRAINT rollout_was_started_by_a_schedule FOREIGN KEY (schedule_id) REFERENCES public.schedule(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.rollout_wave
    ADD CONSTRAINT rollout_wave_belongs_to_a_rollout FOREIGN KEY (rollout_id) REFERENCES public.rollout(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.schedule
    ADD CONSTRAINT schedule_was_made_by_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id) ON DELETE SET NULL;
ALTER TABLE ONLY public.sealed_value
    ADD CONSTRAINT sealed_value_belongs_to_a_device FOREIGN KEY (device_id) REFERENCES public.device(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.sealed_value
    ADD CONSTRAINT sealed_value_sealed_content_keeps_its_key_alive FOREIGN KEY (sealed_content_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.sealed_value
    ADD CONSTRAINT sealed_value_was_given_by_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook_delivery
    ADD CONSTRAINT webhook_delivery_is_of_a_webhook FOREIGN KEY (webhook_id) REFERENCES public.webhook(id) ON DELETE CASCADE;
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_sealed_secret_keeps_its_key_alive FOREIGN KEY (sealed_secret_key) REFERENCES public.data_key(id);
ALTER TABLE ONLY public.webhook
    ADD CONSTRAINT webhook_was_made_by_an_operator FOREIGN KEY (operator_id) REFERENCES public.operator(id) ON DELETE CASCADE;
REVOKE ALL ON FUNCTION public.fleetgate_notify_changes(of_table text, topic text, id_column text, ignored text[]) FROM PUBLIC;
REVOKE ALL ON FUNCTION public.fleetgate_sealed(of_table text, sealed_column text) FROM PUBLIC;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.api_key TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.approval TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.artifact TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.artifact_reservation TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.artifact_use TO fleetgate_app;
GRANT SELECT,INSERT ON TABLE public.audit_checkpoint TO fleetgate_app;
GRANT SELECT,INSERT ON TABLE public.audit_entry TO fleetgate_app;
GRANT SELECT,INSERT ON TABLE public.audit_leaf TO fleetgate_app;
GRANT SELECT,INSERT ON TABLE public.audit_log TO fleetgate_app;
GRANT UPDATE(sealed_key) ON TABLE public.audit_log TO fleetgate_app;
GRANT UPDATE(watermark) ON TABLE public.audit_log TO fleetgate_app;
GRANT UPDATE(server_id) ON TABLE public.audit_log TO fleetgate_app;
GRANT UPDATE(closed_through) ON TABLE public.audit_log TO fleetgate_app;
GRANT SELECT,INSERT ON TABLE public.audit_node TO fleetgate_app;
GRANT SELECT,INSERT ON TABLE public.audit_outcome TO fleetgate_app;
GRANT SELECT ON TABLE public.audit_segment TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.audit_witness TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.backup_account TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.backup_content TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.backup_policy TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.data_key TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_account TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_certificate TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_change TO fleetgate_app;
GRANT SELECT,USAGE ON SEQUENCE public.device_change_id_seq TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.device_field TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.discovery TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.discovery_credentials TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.discovery_find TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.discovery_login TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.event TO fleetgate_app;
GRANT SELECT,USAGE ON SEQUENCE public.event_id_seq TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.fan_out TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.fan_out_answer TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.fan_out_device TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.fleet_import TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.gateway_process TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.idempotency_key TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.invitation TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.job_event TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.key_rotation TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.lock TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operator TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operator_identity TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operator_password TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operator_role TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operator_session TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.operator_totp TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.recovery_code TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.role TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollout TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollout_target TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.rollout_wave TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.root_key_copy TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.saved_selector TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.schedule TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.sealed_value TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.secret_holder TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.setup_token TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.system_warning TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.webhook_delivery TO fleetgate_app;
GRANT SELECT,INSERT,DELETE,UPDATE ON TABLE public.work_mark TO fleetgate_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT,USAGE ON SEQUENCES  TO fleetgate_app;
ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT,INSERT,DELETE,UPDATE ON TABLES  TO fleetgate_app;
