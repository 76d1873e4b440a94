/* Made from the OpenAPI document by `npm run docs`. Do not edit it. */
export interface paths {
    "/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Metrics in the text format of Prometheus
         * @description Needs a key that holds `metrics.read`, unless METRICS_PUBLIC is set.
         */
        get: operations["metrics_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/secrets/rotation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the keys that seal stored secrets, and the progress of their rotation */
        get: operations["secrets_status"];
        put?: never;
        /**
         * Rotates the root key or the data key of stored secrets, without an interruption
         * @description The answer comes after a root key is replaced; the rotation of a data key starts with the answer. docs/howto/replace-keys.md.
         */
        post: operations["secrets_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process is alive */
        get: operations["health_live"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/health/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Whether the process can do its work now (503 when not) */
        get: operations["health_ready"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/log": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows the name and the public key of the audit log, and its last checkpoint
         * @description Store the key, and a checkpoint from time to time, apart from the gateway: they prove what the log contained.
         */
        get: operations["auditlog_getLog"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/consistency": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Proves that a later checkpoint of the audit log extends an earlier one */
        get: operations["auditlog_consistency"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/verify": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Verifies the complete audit, row by row, and names what is wrong
         * @description NDJSON: `progress` lines, a `finding` for each wrong row or place, and a final `summary`. Entries that the log has not placed yet count as `pending`. With the checkpoints of a witness it also detects a roll-back of the whole database.
         */
        post: operations["auditlog_verify"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Exports entries with a proof that public tools can check
         * @description NDJSON. The first line is a signed checkpoint, lines that begin with `{"proof"` are the proof, and all others are entries and outcomes as the log has them. docs/verify-export.sh checks it with openssl, sha256sum and jq.
         */
        post: operations["auditlog_export"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams new entries of the audit
         * @description Server-sent events `entry` and `outcome`, one second after their commit, in the order of the log. The id of an event is its place in the log; with `Last-Event-ID` the stream continues after it.
         */
        get: operations["auditlog_stream"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists audit entries, newest first */
        get: operations["audit_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/audit/{entryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads an audit entry */
        get: operations["audit_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/setup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates the first administrator, with the token printed at the start */
        post: operations["auth_setup"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows who you are and what you may do */
        get: operations["auth_self"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists operators */
        get: operations["auth_listOperators"];
        put?: never;
        /** Adds an operator */
        post: operations["auth_createOperator"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists roles, the built-in ones first */
        get: operations["roles_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/roles/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a role */
        get: operations["roles_get"];
        /**
         * Saves your own role under a name
         * @description You cannot give rights that you do not hold. The change is in force for all holders within two seconds.
         */
        put: operations["roles_save"];
        post?: never;
        /** Removes your own role that no operator has */
        delete: operations["roles_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/{operatorId}/roles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the roles that an operator has */
        get: operations["roles_assignments"];
        /**
         * Gives an operator these roles and no others
         * @description Each may be narrowed to the devices of a selector. You cannot give rights that you do not hold.
         */
        put: operations["roles_assign"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists your own API keys */
        get: operations["keys_listOwn"];
        put?: never;
        /** Issues an API key of your own; the answer is the only place where it is seen */
        post: operations["keys_issueOwn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/api-keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces one of your own keys; the old one works for a limited time */
        post: operations["keys_rotateOwn"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes one of your own API keys, everywhere at once */
        delete: operations["keys_revokeOwn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists API keys, without the keys */
        get: operations["keys_list"];
        put?: never;
        /** Issues an API key; the answer is the only place where it is seen */
        post: operations["keys_issue"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{keyId}/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Replaces a key; the old one works for a limited time */
        post: operations["keys_rotate"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/api-keys/{keyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Revokes an API key, everywhere at once */
        delete: operations["keys_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/{operatorId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads an operator */
        get: operations["accounts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Renames, disables or enables an operator
         * @description A disabled operator has no access from then on: their sessions end, and their keys stop until they are enabled again.
         */
        patch: operations["accounts_update"];
        trace?: never;
    };
    "/v1/operators/{operatorId}/invitation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates a token with which the person sets a first or forgotten password, once */
        post: operations["accounts_invite"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operators/{operatorId}/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes the second factor of an operator who has lost it */
        delete: operations["accounts_resetSecondFactor"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Signs a person in: the answer sets the cookie of their session
         * @description Programs use API keys. With a second factor and no `code`, the answer to a correct password is `second_factor_required`.
         */
        post: operations["signin_login"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/logout": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Ends the session of this request */
        post: operations["signin_logout"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists your own sessions */
        get: operations["signin_listOwn"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends one of your own sessions, everywhere at once */
        delete: operations["signin_revokeOwn"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the sessions of all operators, the last 1,000 */
        get: operations["signin_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sessions/{sessionId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Ends a session of any operator, everywhere at once */
        delete: operations["signin_revoke"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/password": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Changes your password; all your other sessions end */
        post: operations["signin_changePassword"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/invitations/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sets a password with an invitation, once; then sign in */
        post: operations["signin_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the OpenID providers for sign-in */
        get: operations["oidc_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc/{providerId}/login": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Sends the browser to an OpenID provider to sign in */
        get: operations["oidc_begin"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/oidc/{providerId}/callback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Signs in a person who returns from an OpenID provider */
        get: operations["oidc_finish"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/totp": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts to set up a second factor; it is in force after a first code */
        post: operations["secondfactor_begin"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/totp/confirm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Confirms the second factor with a first code, and returns recovery codes */
        post: operations["secondfactor_confirm"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/totp/remove": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Removes your second factor */
        post: operations["secondfactor_remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/recovery-codes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Creates new recovery codes; the old ones stop working */
        post: operations["secondfactor_renew"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/self/second-factor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Shows the second factor in this session, for actions that need a recent one */
        post: operations["secondfactor_show"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registers and updates devices from a file
         * @description The body is the file: text/csv with a header (name, base_url, username, password, serial, mac, model, site, tags, note, fields, pin, sessions, time_zone), or application/x-ndjson. Each NDJSON line is a body of POST /v1/devices, or a line of an export. CSV has commas, semicolons or tabs; it is UTF-8, UTF-16 with a byte order mark, what `charset` says, or else Windows-1252. The serial number identifies a device, or else its name. It is one transaction, which ends when its sender disconnects. With `Prefer: respond-async` it answers 202, continues, and is read at `Location`.
         */
        post: operations["fleet_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Shows the devices that a bulk action would take, and those that it would leave out
         * @description It changes nothing. Bulk actions (tags, fan-outs, rollouts, locks, removal) take its `digest` as `expectedDigest`: where the selector names other devices by then, they answer `selection_changed` and nothing happens.
         */
        post: operations["fleet_preview"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/delete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Removes all devices of a selector, with their credentials and ended jobs
         * @description Send it first with `dryRun`, which returns the number of devices and the digest of their ids. Then send that digest as `expectedDigest`. If the selector then names other devices, or one of them may not be removed, nothing is removed. More than APPROVAL_DEVICES devices need the approval of a second person: `approval_required` until sent with `Approval-Id`.
         */
        post: operations["fleet_remove"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Exports the devices of a selector as a file that an import accepts, without passwords */
        get: operations["fleet_export"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/tags": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Adds and removes tags of all devices of a selector */
        post: operations["fleet_changeTags"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/imports/{importId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the progress and the result of your import */
        get: operations["imports_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/imports/{importId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels your running import; it changes nothing */
        post: operations["imports_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists devices, in the order of their registration unless `sort` names another one
         * @description A cursor belongs to its order: send the same `sort` with it.
         */
        get: operations["devices_list"];
        put?: never;
        /**
         * Registers a device
         * @description The gateway sends nothing to the device. It pins the certificate at the first call.
         */
        post: operations["devices_register"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Counts devices by the values of some fields */
        get: operations["devices_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/availability": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows how many devices were online in the last hours */
        get: operations["devices_availability"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a device of the registry */
        get: operations["devices_get"];
        put?: never;
        post?: never;
        /** Removes a device from the registry, with its credentials and ended jobs */
        delete: operations["devices_remove"];
        options?: never;
        head?: never;
        /**
         * Changes a device in the registry
         * @description Another address or other credentials need a second factor that was shown recently.
         */
        patch: operations["devices_change"];
        trace?: never;
    };
    "/v1/devices/{ref}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists observations about a device, the newest first: states, firmware, identity */
        get: operations["devices_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/replace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Puts new hardware in the place of a device
         * @description The device keeps its id, name, site, tags, note, fields, jobs and history. Its credentials and its trust are forgotten: give those of the new hardware. It needs `device.trust` too. The old serial number stays in `formerSerials`, where `q` finds it.
         */
        post: operations["devices_replace"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/credentials": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Sets the login that the gateway uses on the device
         * @description Write-only: the password is sealed and no answer ever shows it. The count of refused logins starts again.
         */
        put: operations["devices_setCredentials"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/credentials/read": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Sets a second login on the device, which the gateway uses for calls that only read
         * @description Write-only, like the first one. Calls that change something still use the first one.
         */
        put: operations["devices_setReadCredentials"];
        post?: never;
        /** Removes the login for reads; reads use the first login again */
        delete: operations["devices_removeReadCredentials"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/trust": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /** Sets how the gateway recognises the device, or accepts the key that it offers now */
        put: operations["devices_setTrust"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/selectors": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists saved selectors */
        get: operations["savedselectors_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/selectors/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a saved selector */
        get: operations["savedselectors_get"];
        /** Saves a selector under a name; @name then means it in any selector */
        put: operations["savedselectors_save"];
        post?: never;
        /** Removes a saved selector; selectors that name it are invalid from then on */
        delete: operations["savedselectors_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fields": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the custom fields that devices can have */
        get: operations["fields_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fields/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the definition of a custom field */
        get: operations["fields_get"];
        /**
         * Defines a custom field of devices, or changes its definition
         * @description Each value that a device has must be one of the new definition.
         */
        put: operations["fields_define"];
        post?: never;
        /**
         * Removes a custom field, with its values on all devices
         * @description Not while a rule of a role, an assignment, the scope of a key or a lock names the field.
         */
        delete: operations["fields_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists the locks in force, the newest first
         * @description Without those of devices that you do not see.
         */
        get: operations["locks_list"];
        put?: never;
        /**
         * Locks a person, a key, a device, a selector, or all writes
         * @description In force everywhere within two seconds. Open answers to a locked caller end. Calls to a locked device are refused with `locked`, and its jobs wait with the reason `locked`. The last administrator cannot be locked out.
         */
        post: operations["locks_lock"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/locks/{lockId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Lifts a lock */
        delete: operations["locks_lift"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists requests that need or had the approval of a second person, the newest first
         * @description Devices that you do not see are not counted; requests only for such devices are not listed.
         */
        get: operations["approvals_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approvalId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads an approval */
        get: operations["approvals_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approvalId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approves a request of another person
         * @description You must see all its devices. Its sender then sends it again, with the header Approval-Id.
         */
        post: operations["approvals_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/approvals/{approvalId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Rejects a request */
        post: operations["approvals_reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rights/explain": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Says whether something is allowed, and by which rule
         * @description Your own rights, or with `operator` and the permission `rights.explain` those of another operator.
         */
        get: operations["rights_explain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-out": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Calls all devices of a selector and streams their answers
         * @description NDJSON, or server-sent events with Accept: text/event-stream: a line for each device as it answers, then a summary. Equal answers have the same digest, and only the first has its body. Calls that write need `device.call_write` and an Idempotency-Key; a repeated request with the same key does not call again. A closed connection stops the calls that have not started. With `keep` outcomes and answers are stored: the first line has the id for /v1/fan-outs, and the calls continue without a reader. Devices that you do not see are left out; those that you may not call in this way are skipped as `forbidden`. Writes to more than APPROVAL_DEVICES devices need the approval of a second person: they answer `approval_required` until sent with `Approval-Id`.
         */
        post: operations["fanout_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists stored fan-outs, newest first */
        get: operations["storedfanouts_list"];
        put?: never;
        /**
         * Calls all devices of a selector, stores their answers, and does not wait for them
         * @description As POST /v1/fan-out with `keep`, for callers that read the outcomes later at `Location`. Calls that write need `device.call_write` and an Idempotency-Key.
         */
        post: operations["storedfanouts_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs/{fanOutId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads a stored fan-out, with equal answers grouped
         * @description Only devices that you see, and whose answers to these calls you may read.
         */
        get: operations["storedfanouts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs/{fanOutId}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the outcomes of the devices of a stored fan-out */
        get: operations["storedfanouts_devices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs/{fanOutId}/grid": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows which outcome each device of a stored fan-out has so far */
        get: operations["storedfanouts_grid"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs/{fanOutId}/answers/{digest}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads an answer of a stored fan-out, without its secrets */
        get: operations["storedfanouts_answer"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs/{fanOutId}/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Sends the calls of a stored fan-out again to devices that did not succeed
         * @description It starts a new stored fan-out, whose `retryOf` is this one. A write is not repeated on devices that may have executed it, unless `repeatUnknown` says so. The rules of POST /v1/fan-outs apply, with your own rights.
         */
        post: operations["storedfanouts_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/fan-outs/{fanOutId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels your running fan-out: no more calls start, and those in progress finish */
        post: operations["storedfanouts_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Shows the sessions, the breaker and the queue of a device
         * @description The view of the process that answers; the token itself is never shown.
         */
        get: operations["sessions_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/session/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Ends the sessions of a device and forgets its failures
         * @description After this the gateway tries a refused password again, once for each reset.
         */
        post: operations["sessions_reset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discovery": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists searches, the newest first */
        get: operations["discovery_list"];
        put?: never;
        /**
         * Searches networks for devices
         * @description A worker asks each address what is there, at the given pace. It sends no login without `credentials`, and each of them at most once to a device that the registry does not know. With credentials it needs a second factor that was shown recently. docs/howto/find-devices.md shows it.
         */
        post: operations["discovery_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discovery/{discoveryId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads the progress of a search */
        get: operations["discovery_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discovery/{discoveryId}/found": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Lists what answered, in the order of the addresses
         * @description Texts are claims of what answered, except `serial`, `mac` and `firmware`, which need a login.
         */
        get: operations["discovery_found"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discovery/{discoveryId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Cancels a search; what it found stays */
        post: operations["discovery_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/discovery/{discoveryId}/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Registers chosen devices, each with the key that it showed
         * @description Each needs the permission `device.manage`. The answer has an outcome for each; a repeated request changes nothing.
         */
        post: operations["discovery_accept"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists artifacts, newest first */
        get: operations["artifacts_list"];
        put?: never;
        /**
         * Stores a file: firmware, a certificate, a configuration
         * @description The body is the file itself (application/octet-stream), and the query describes it; or a form (multipart/form-data) whose fields describe it and whose last part is the file.
         */
        post: operations["artifacts_add"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the used and the available space for artifacts */
        get: operations["artifacts_usage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifactId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads an artifact and the jobs that use it */
        get: operations["artifacts_get"];
        put?: never;
        post?: never;
        /** Deletes an artifact that no job needs */
        delete: operations["artifacts_delete"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/artifacts/{artifactId}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Downloads the bytes of an artifact
         * @description The gateway compares them with their digest first. Each download is in the audit.
         */
        get: operations["artifacts_content"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Starts a long job on a device
         * @description Answers 202 with the job's address in Location. With `Prefer: wait=N` (RFC 7240, at most 60) it waits up to N seconds for the end of the job and then answers 200 with Preference-Applied.
         */
        post: operations["jobs_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists jobs, newest first */
        get: operations["jobs_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{jobId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a job, with its log of steps */
        get: operations["jobs_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/{jobId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Cancels a job before its point of no return
         * @description A waiting job has ended when this answers. A running one has `cancelAskedAt`; its step is broken off, and it ends.
         */
        post: operations["jobs_cancel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/coverage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows which devices have a backup, and its age and state */
        get: operations["backups_coverage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compares two backups, or the newest ones of two devices
         * @description Secrets are hidden: a changed secret has another fingerprint.
         */
        get: operations["backups_diff"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/contents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the files of a backup, and the settings in them
         * @description Secrets are hidden: each has its fingerprint in its place.
         */
        get: operations["backups_contents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists backup policies */
        get: operations["backups_list"];
        put?: never;
        /** Creates a policy: which devices are backed up, when, and how long backups are stored */
        post: operations["backups_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/backups/policies/{policyId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a backup policy */
        get: operations["backups_get"];
        /** Replaces a backup policy; from now on it acts in your name */
        put: operations["backups_replace"];
        post?: never;
        /** Removes a policy; its backups stay and are no longer removed */
        delete: operations["backups_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/certificates": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists certificates on devices, the earliest expiry first */
        get: operations["certificates_list"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists rollouts, newest first */
        get: operations["rollouts_list"];
        put?: never;
        /**
         * Creates a rollout as a draft, with the devices that its selector names now
         * @description Nothing happens before it is started. With `dryRun` nothing is stored: the answer (200) lists the devices of each wave, the excluded devices with the reason, whether it needs approval, and its earliest end.
         */
        post: operations["rollouts_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a rollout, wave by wave */
        get: operations["rollouts_get"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/devices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists what a rollout does with each device */
        get: operations["rollouts_targets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads the result of a rollout: times, causes of failures, devices that need a person
         * @description JSON; with `format=html` a page for printing; with `format=csv` one line for each device.
         */
        get: operations["rollouts_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/live": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follows a rollout as server-sent events, until its end
         * @description An event `rollout` with all numbers, at the start and after each change; a comment every 15 s.
         */
        get: operations["rollouts_follow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Starts a draft: now, at its time, or after a second person has approved it */
        post: operations["rollouts_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/approve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Approves a rollout that another operator has started */
        post: operations["rollouts_approve"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/reject": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a rollout that waits for approval back to its draft */
        post: operations["rollouts_reject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Pauses it: starts no more devices; running jobs finish */
        post: operations["rollouts_pause"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Resumes it: failures so far are acknowledged, and thresholds count from now on */
        post: operations["rollouts_resume"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/abort": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Aborts a rollout; jobs past their point of no return finish with a verified end */
        post: operations["rollouts_abort"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/retry-failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Retries devices that failed, or that ended in another of these states */
        post: operations["rollouts_retry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/roll-back": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Creates the rollout that rolls this one back, as a draft
         * @description Firmware goes back to the image of the version that ran before, where the store has it; `configure` to what was there. Devices that were changed since are left out and named. With `dryRun` nothing is stored.
         */
        post: operations["rollouts_rollBack"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/devices/{deviceId}/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Excludes a device that has not started */
        post: operations["rollouts_skip"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/rollouts/{rolloutId}/waves/{ordinal}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Lets a wave with a manual gate start, as soon as those before it have passed */
        post: operations["rollouts_promote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists schedules */
        get: operations["schedules_list"];
        put?: never;
        /** Creates a schedule that starts a rollout repeatedly */
        post: operations["schedules_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/schedules/{scheduleId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a schedule */
        get: operations["schedules_get"];
        /** Replaces a schedule; from now on it acts in your name */
        put: operations["schedules_replace"];
        post?: never;
        /** Removes a schedule; its rollouts stay */
        delete: operations["schedules_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Streams events as server-sent events
         * @description Jobs, rollouts and devices that you see: `job.started`, `job.ended`, `job.quarantined`, `rollout.draft`, `rollout.awaiting_approval`, `rollout.scheduled`, `rollout.running`, `rollout.paused`, `rollout.aborting`, `rollout.finished`, `rollout.aborted`, `rollout.quarantined`, `rollout.wave_waiting`, `rollout.wave_running`, `rollout.wave_soaking`, `rollout.wave_passed`, `rollout.wave_failed`, `device.registered`, `device.removed`, `device.new`, `device.online`, `device.offline`, `device.credentials_refused`, `device.trust_changed`, `device.firmware_changed`, `backup.quarantined`, `schedule.quarantined`, `webhook.quarantined`, `lock.set`, `lock.lifted`, `approval.pending`, `approval.approved`, `approval.rejected`, `approval.used`, `fanout.running`, `fanout.ended`, `fanout.interrupted`, `discovery.started`, `discovery.ended`, `artifact.stored`, `artifact.removed`, `audit.checkpoint`, `system.warning`. Each event has an id. Send the last one that you have as `Last-Event-ID` to miss nothing. Events are stored for a week.
         */
        get: operations["events_follow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists webhooks */
        get: operations["webhooks_list"];
        put?: never;
        /**
         * Makes a webhook; the answer is the only place where its secret is seen
         * @description Events are sent as CloudEvents in JSON, signed by Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`), and retried for a day until the answer is 2xx. The webhook gets the events that you may see.
         */
        post: operations["webhooks_create"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Reads a webhook */
        get: operations["webhooks_get"];
        /** Changes a webhook; its secret stays, and from now on it gets the events that you may see */
        put: operations["webhooks_replace"];
        post?: never;
        /** Removes a webhook with the log of its deliveries */
        delete: operations["webhooks_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the deliveries of a webhook with their answers, newest first */
        get: operations["webhooks_deliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Sends a delivery again, with the same id */
        post: operations["webhooks_replay"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Shows the state of the installation: processes, queue, database, audit, warnings */
        get: operations["system_read"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/system/settings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the settings of the process that answers, without secrets */
        get: operations["system_settings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sealed-values": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists sealed values, newest first, without the secrets */
        get: operations["sealedvalues_list"];
        put?: never;
        /** Stores a secret for your jobs; their specs name it by its id */
        post: operations["sealedvalues_give"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sealed-values/{valueId}/open": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Reads the secret of a sealed value, such as a password that a job generated
         * @description Each read is in the audit before the value is sent.
         */
        post: operations["sealedvalues_open"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/sealed-values/{valueId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /** Removes a sealed value */
        delete: operations["sealedvalues_remove"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/devices/{ref}/api/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads from a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        get: operations["passthrough_get"];
        /**
         * Writes to a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        put: operations["passthrough_put"];
        /**
         * Writes to a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        post: operations["passthrough_post"];
        /**
         * Writes to a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        delete: operations["passthrough_delete"];
        /**
         * Reads from a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        options: operations["passthrough_options"];
        /**
         * Reads from a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        head: operations["passthrough_head"];
        /**
         * Writes to a device through the gateway
         * @description Path, query and body are the device's own, and so are status and body of the answer, byte for byte.
         *     `Proxy-Status` says who speaks: `received-status` is the device, `error` is the gateway. `Server-Timing` holds the
         *     milliseconds in the queue, for a login and of the device. Paths that are not canonical are refused, and so are
         *     `/api/login` and `/api/logout`, since all callers share one session; each item of `/api/bulk` is authorized by itself.
         *
         *     Equal GETs that wait for a device at the same time are one call to it, up to answers of 1 MiB; `Cache-Status: fleetgate;
         *     fwd=miss; collapsed` says that an answer was made for another caller, and `Cache-Control: no-cache` asks for a call of one's
         *     own. With `Cache-Control: max-age=N` (1 to 300) an answer with status 200 is kept, and one that is not older than N seconds
         *     is given with its `Age`. A write to the device through this process drops what it keeps of it.
         */
        patch: operations["passthrough_patch"];
        trace?: never;
    };
    "/d/{ref}/api/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Reads from a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        get: operations["facade_get"];
        /**
         * Writes to a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        put: operations["facade_put"];
        /**
         * Writes to a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        post: operations["facade_post"];
        /**
         * Writes to a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        delete: operations["facade_delete"];
        /**
         * Reads from a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        options: operations["facade_options"];
        /**
         * Reads from a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        head: operations["facade_head"];
        /**
         * Writes to a device through the gateway
         * @description The same for clients that were written for the device itself: give them `https://<gateway>/d/{ref}` as its
         *     address and an API key as its password. `POST /api/login` answers the key as the token, `/api/logout` and
         *     `/api/session/status` answer as the device does, and refusals of the gateway have the envelope of the device.
         *     `/api/unauthorized/status` needs no token. Secrets are left out, with `<option>:set` in their place, and a refused item of
         *     `/api/bulk` is an error at its place.
         *
         *     Where the gateway runs with `DEVICE_HOST_SUFFIX=devices.example`, `https://<label>.devices.example/api/{path}` is the same for
         *     clients that take only a host and a port; the label is the device's id, its name, or `serial-` and its serial number.
         */
        patch: operations["facade_patch"];
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        AcceptDiscovered: {
            /** @description Ids of what was found */
            found: string[];
            /**
             * @example [
             *       "pump"
             *     ]
             */
            tags?: string[];
            /**
             * @description Where the device is, such as vilnius/plant-2
             * @default
             * @example vilnius/plant-2
             */
            site?: string;
            /** @description Of all these devices. Absent: those of your search that the device accepted, or none */
            credentials?: {
                /** @example admin */
                username: string;
                /**
                 * @description Stored sealed; no answer ever shows it
                 * @example correct-Horse-7
                 */
                password: string;
            };
        };
        AcceptInvitation: {
            token: string;
            password: string;
        };
        AcceptedDevices: {
            items: {
                /** Format: uuid */
                found: string;
                /**
                 * @description `known`: it was a device of the registry already, and nothing changed
                 * @enum {string}
                 */
                outcome: "accepted" | "known" | "refused";
                deviceId: string | null;
                /** @description Why it was refused: docs/reference/errors.md */
                code: string | null;
                detail: string | null;
            }[];
        };
        ApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            operatorId: string;
            /** @example nightly report */
            name: string;
            /**
             * @description The first letters of the key, to recognise it
             * @example fg_8JqL
             */
            prefix: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            revokedAt: string | null;
            scope: components["schemas"]["KeyScope"] | null;
            allowedAddresses: string[];
            callsPerMinute: number | null;
            /** @description The key that it replaces */
            replacesId: string | null;
            /** @description To the minute */
            lastUsedAt: string | null;
            lastUsedAddress: string | null;
        };
        ApiKeyList: {
            items: components["schemas"]["ApiKey"][];
        };
        Approval: {
            /** Format: uuid */
            id: string;
            action: string;
            /** @enum {string} */
            state: "pending" | "approved" | "rejected" | "used";
            /** @description The request, without its body */
            summary: {
                [key: string]: unknown;
            };
            /** @description SHA-256 of the request; the approval is for exactly this request */
            digest: string;
            /** @description Largest number of devices */
            devices: number;
            /** Format: uuid */
            requestedBy: string;
            requestedByName: string;
            /** Format: date-time */
            requestedAt: string;
            /** Format: date-time */
            expiresAt: string;
            decidedBy: string | null;
            decidedByName: string | null;
            decidedAt: string | null;
            usedAt: string | null;
        };
        ApprovalPage: {
            items: components["schemas"]["Approval"][];
            next: string | null;
        };
        ApproveRollout: {
            /**
             * @description The digest of the plan that you have read
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            planDigest: string;
        };
        Artifact: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "firmware" | "backup" | "certificate" | "configuration" | "file";
            /** @description File name */
            name: string;
            sha256: string;
            bytes: number;
            deviceId: string | null;
            /** @description The job that made it */
            jobId: string | null;
            version: string | null;
            models: string[];
            hardware: string[];
            minimumVersion: string | null;
            /** @description Name of the key that verified its signature */
            signedBy: string | null;
            createdBy: string | null;
            createdByName: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Jobs that use it and have not ended: they prevent its deletion */
            openUses: number;
        };
        ArtifactPage: {
            items: components["schemas"]["Artifact"][];
            next: string | null;
        };
        ArtifactUsage: {
            quotaBytes: number;
            /** @description Total size of stored bytes; equal bytes count once */
            usedBytes: number;
            /** @description Reserved for uploads in progress */
            reservedBytes: number;
        };
        ArtifactWithUses: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "firmware" | "backup" | "certificate" | "configuration" | "file";
            /** @description File name */
            name: string;
            sha256: string;
            bytes: number;
            deviceId: string | null;
            /** @description The job that made it */
            jobId: string | null;
            version: string | null;
            models: string[];
            hardware: string[];
            minimumVersion: string | null;
            /** @description Name of the key that verified its signature */
            signedBy: string | null;
            createdBy: string | null;
            createdByName: string | null;
            /** Format: date-time */
            createdAt: string;
            /** @description Jobs that use it and have not ended: they prevent its deletion */
            openUses: number;
            /** @description Jobs that use it, the newest hundred */
            uses: {
                /** Format: uuid */
                jobId: string;
                /** Format: uuid */
                deviceId: string;
                kind: string;
                /** @enum {string} */
                phase: "queued" | "dispatched" | "running" | "ended";
                outcome: ("succeeded" | "failed" | "not_executed" | "unknown" | "cancelled") | null;
                /** Format: date-time */
                createdAt: string;
            }[];
        };
        AuditConsistency: {
            from: number;
            to: number;
            /** @description The signed checkpoint at `to` */
            checkpoint: string;
            /** @description Hashes in hex (RFC 9162, section 2.1.4) */
            proof: string[];
        };
        AuditEntry: {
            /** Format: uuid */
            id: string;
            /** @description Place in the log; null: not placed yet */
            sequence: number | null;
            /** Format: date-time */
            openedAt: string;
            closedAt: string | null;
            action: string;
            /** @description null: the effect is under way */
            outcome: ("succeeded" | "failed" | "refused" | "unknown") | null;
            actor: string;
            actorName: string;
            requestId: string | null;
            address: string | null;
            reason: string | null;
            deviceId: string | null;
            jobId: string | null;
            /** @description The fan-out that it belongs to */
            operationId: string | null;
            subject: string;
            facts: {
                [key: string]: unknown;
            };
            /** @description What was recorded when it was closed; empty while it is open */
            result: {
                [key: string]: unknown;
            };
        };
        AuditExportLine: {
            /** @constant */
            proof: "fleetgate-audit-export/1";
            origin: string;
            key: string;
            checkpoint: string;
        } | {
            /** @constant */
            proof: "hash";
            height: number;
            hash: string;
        } | {
            /** @constant */
            proof: "end";
            leaves: number;
            hashes: number;
        } | components["schemas"]["AuditLogLine"];
        AuditLog: {
            origin: string;
            /** @description Verifier key: name, id and Ed25519 key (C2SP signed-note) */
            key: string;
            /** @description Leaves that the last checkpoint covers */
            size: number;
            /** @description The last signed checkpoint (C2SP tlog-checkpoint); null on an empty log */
            checkpoint: string | null;
        };
        AuditLogLine: ({
            /** @constant */
            type: "entry";
            v: number;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            action: string;
            actor: string;
            subject: string;
            facts: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "outcome";
            v: number;
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            at: string;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "refused" | "unknown";
            facts: {
                [key: string]: unknown;
            };
        } & {
            [key: string]: unknown;
        });
        AuditPage: {
            items: components["schemas"]["AuditEntry"][];
            next: string | null;
        };
        AuditVerifyLine: ({
            /** @constant */
            type: "finding";
            /** @example row_altered */
            kind: string;
            /** @description A sentence */
            what: string;
            sequence: number | null;
            through: number | null;
            row: {
                /** @enum {string} */
                kind: "entry" | "outcome";
                /** Format: uuid */
                id: string;
            } | null;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "progress";
            leaves: number;
            of: number;
        } & {
            [key: string]: unknown;
        }) | ({
            /** @constant */
            type: "summary";
            holds: boolean;
            findings: number;
            leaves: number;
            entries: number;
            outcomes: number;
            /** @description Leaves in archived segments, of which only the roots of the segments are known */
            archived: number;
            /** @description Rows that are committed and not placed yet, which is normal */
            pending: number;
            checkpoints: number;
            /** @description Checkpoints at which the clock showed an earlier time than before */
            clockSetBack: number;
            /** @description Checkpoints of the witness that were compared */
            witnessed: number;
            root: string;
            key: string;
            ms: number;
        } & {
            [key: string]: unknown;
        });
        BackupContents: {
            /** Format: uuid */
            id: string;
            deviceId: string | null;
            name: string;
            /** Format: date-time */
            createdAt: string;
            files: {
                name: string;
                bytes: number;
                /** @description Lines of settings, with fingerprints instead of secrets; null: not shown */
                lines: string[] | null;
            }[];
            /** @description Whether there are more than shown */
            cut: boolean;
        };
        BackupCoverage: {
            counts: {
                [key: string]: number;
            };
            items: {
                /** Format: uuid */
                deviceId: string;
                name: string;
                /** @enum {string} */
                state: "none" | "failed" | "overdue" | "fresh";
                /** @description The newest backup */
                artifactId: string | null;
                /** @description When the device was last found to have the configuration of the backup */
                at: string | null;
                /** @description Whether it was unpacked; null: not checked yet */
                opens: boolean | null;
                /** @description Code of the last job, where that failed */
                lastFailure: string | null;
            }[];
            next: string | null;
        };
        BackupDiff: {
            a: {
                /** Format: uuid */
                id: string;
                deviceId: string | null;
                name: string;
                /** Format: date-time */
                createdAt: string;
            };
            b: {
                /** Format: uuid */
                id: string;
                deviceId: string | null;
                name: string;
                /** Format: date-time */
                createdAt: string;
            };
            same: boolean;
            files: {
                name: string;
                /**
                 * @description From a to b
                 * @enum {string}
                 */
                change: "added" | "removed" | "changed";
                /** @description Lines of settings that differ, with fingerprints instead of secrets; null: not shown */
                lines: {
                    /** @enum {string} */
                    is: "+" | "-";
                    text: string;
                }[] | null;
            }[];
            /** @description Whether there are more than shown */
            cut: boolean;
        };
        BackupJobSpec: {
            /**
             * Format: uuid
             * @description Id of a sealed value with a passphrase: the device encrypts the backup with it
             */
            sealedValue?: string;
        };
        BackupPolicy: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description null: it names devices, and you may see only some devices */
            selector: string | null;
            rhythm: {
                /** @example 30 2 * * 1-5 */
                cron: string;
                /** @example Europe/Vilnius */
                timeZone: string;
            } | {
                everySeconds: number;
            };
            keepCount: number;
            keepDays: number | null;
            onlyChanges: boolean;
            /** @description Whether devices encrypt the backups with a passphrase of the policy */
            encrypted: boolean;
            enabled: boolean;
            /** @description Its author was disabled or their key revoked: it starts nothing until an operator saves it again */
            orphaned: boolean;
            nextRunAt: string | null;
            /** @description The next ones: three, or as many as `runs` says */
            nextRuns: string[];
            lastRunAt: string | null;
            /** @description Jobs that the last run started; shown to its author and to callers who see all devices */
            lastStarted: number | null;
            /** @description Why the last run started no job */
            lastError: string | null;
            /** @description When it was stopped because two processes were lost; it runs again when saved with `enabled` */
            quarantinedAt: string | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
        };
        BackupPolicyList: {
            items: components["schemas"]["BackupPolicy"][];
        };
        BeginSecondFactor: {
            /** @description Your password, when you have one */
            password?: string;
        };
        CallExpectation: {
            /** @description HTTP status of the answer */
            status?: number;
            /** @description A part of the answer: its fields must be there and equal; lists item by item */
            body?: {
                [key: string]: unknown;
            };
        };
        CallJobSpec: {
            /** @enum {string} */
            method: "GET" | "POST" | "PUT" | "DELETE";
            /**
             * @description The path on the device, from `/api/` on
             * @example /api/system/device/status
             */
            path: string;
            /** @description `data` of the request body; without secrets */
            data?: {
                [key: string]: unknown;
            } | unknown[];
            /** @description The expected answer; absent: any success */
            expect?: components["schemas"]["CallExpectation"];
            /**
             * @description Whether to read back a write that the device accepted
             * @default true
             */
            verify?: boolean;
        };
        CertificatesJobSpec: {
            /**
             * @description `simple`: an authority, a server, a client, and parameters
             * @enum {string}
             */
            type: "simple" | "ca" | "server" | "client" | "dh";
            name?: string;
            /** @default 2048 */
            keyBits?: 2048 | 3072 | 4096;
            /** @default 3650 */
            days?: number;
            /** @description Common name */
            subject?: string;
            /** @description Existing files are generated again when one expires sooner */
            renewBeforeDays?: number;
            /**
             * @description Existing files are generated again, whatever their age
             * @default false
             */
            replace?: boolean;
            /**
             * @description Whether the private keys are stored, as sealed values
             * @default false
             */
            export?: boolean;
        };
        ChangeDevice: {
            /**
             * @description Unique in the fleet; upper and lower case are the same
             * @example pump-1
             */
            name?: string;
            /** @description Stored credentials belong to the old address: give them again, or the gateway deletes them */
            baseUrl?: string;
            credentials?: {
                /** @example admin */
                username: string;
                /**
                 * @description Stored sealed; no answer ever shows it
                 * @example correct-Horse-7
                 */
                password: string;
            };
            serial?: string | null;
            mac?: string | null;
            /**
             * @description Where the device is, such as vilnius/plant-2
             * @example vilnius/plant-2
             */
            site?: string;
            /**
             * @example [
             *       "pump"
             *     ]
             */
            tags?: string[];
            /**
             * @description What people should know about the device; not for secrets
             * @example Keys at the gate
             */
            note?: string;
            /**
             * @description Values of custom fields (GET /v1/fields); null removes one, and absent ones stay
             * @example {
             *       "rack": "B7"
             *     }
             */
            fields?: {
                [key: string]: string | number | boolean | null;
            };
            timeZone?: string | null;
            /** @description Simultaneous sessions with each account; use 1 unless calls wait for each other, since each login uses device memory */
            sessions?: number;
        };
        /**
         * @example {
         *       "disabled": true
         *     }
         */
        ChangeOperator: {
            /** @example Ada */
            name?: string;
            disabled?: boolean;
        };
        ChangePassword: {
            currentPassword: string;
            newPassword: string;
        };
        ChangeTags: {
            /** @description Which devices; see docs/reference/selectors.md */
            selector: string;
            /**
             * @example [
             *       "pump"
             *     ]
             */
            add?: string[];
            /**
             * @example [
             *       "pump"
             *     ]
             */
            remove?: string[];
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
            /**
             * @description Count only, and change nothing
             * @default false
             */
            dryRun?: boolean;
        };
        ConfigureJobSpec: {
            /**
             * @description In the order in which the device gets them
             * @example [
             *       {
             *         "action": "update",
             *         "path": "/api/wireguard/config/wg0",
             *         "data": {
             *           "enabled": "1"
             *         }
             *       }
             *     ]
             */
            changes: ({
                /** @constant */
                action: "create";
                /** @description /api/<service>/config */
                path: string;
                /** @description Options of the new item; `id` where the service wants one from its caller */
                data: {
                    [key: string]: unknown;
                };
                /**
                 * @description Options with secret values, as ids of sealed values
                 * @default []
                 */
                sealed?: {
                    option: string;
                    /** Format: uuid */
                    valueId: string;
                }[];
            } | {
                /** @constant */
                action: "update";
                /** @description /api/<service>/config/{id} or /api/<service>/global */
                path: string;
                /**
                 * @description Options to change; an empty text unsets an option
                 * @default {}
                 */
                data?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Options with secret values, as ids of sealed values
                 * @default []
                 */
                sealed?: {
                    option: string;
                    /** Format: uuid */
                    valueId: string;
                }[];
            } | {
                /** @constant */
                action: "delete";
                /** @description /api/<service>/config/{id} */
                path: string;
            })[];
            /**
             * @description Whether to report only the difference and send nothing
             * @default false
             */
            dryRun?: boolean;
            /**
             * @description Whether a change is allowed that can cut the connection to the device; needs a recent second factor
             * @default false
             */
            acceptRisk?: boolean;
        };
        CreateBackupPolicy: {
            name: string;
            /** @description Which devices; read again at each run */
            selector: string;
            /**
             * @description Number of newest backups to store for each device
             * @default 30
             */
            keepCount?: number;
            /**
             * @description Older ones are deleted; the newest stays. null: no limit
             * @default null
             */
            keepDays?: number | null;
            /**
             * @description Whether a backup with the same content as the last one only confirms the last one
             * @default true
             */
            onlyChanges?: boolean;
            /** @default true */
            enabled?: boolean;
            /** @description Id of your sealed value with a passphrase: devices encrypt backups with it, and the policy stores its own copy. null: backups are not encrypted. Absent: as it was */
            sealedValue?: string | null;
            rhythm: components["schemas"]["Rhythm"];
        };
        CreateOperator: {
            /** @example Ada */
            name: string;
            /**
             * @description A first role; PUT /v1/operators/{operatorId}/roles gives several
             * @example field-engineer
             */
            role: string;
        };
        CreateRollout: {
            /** @example June firmware */
            name: string;
            /**
             * @description The kind of job for each device
             * @example firmware
             */
            kind: string;
            /**
             * @description Its parameters, as for a single job; `{{device.site}}` and similar fields are replaced by values of each device
             * @default {}
             * @example {
             *       "source": "vendor"
             *     }
             */
            spec?: {
                [key: string]: unknown;
            };
            /**
             * @description Which devices; see docs/reference/selectors.md
             * @example tag:pump & firmware<7.14
             */
            selector: string;
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
            /** @default {} */
            policy?: components["schemas"]["RolloutPolicyInput"];
            /**
             * Format: date-time
             * @description Not before this instant
             */
            startsAt?: string;
            /**
             * @description Only report what it would do
             * @default false
             */
            dryRun?: boolean;
        };
        CreateSchedule: {
            /** @example nightly backups */
            name: string;
            rhythm: components["schemas"]["Rhythm"];
            /** @description The rollout of each run; its selector is read again at each run */
            rollout: components["schemas"]["RolloutTemplate"];
            /**
             * @description Runs that were missed while the gateway was down: run once, or skip
             * @default once
             * @enum {string}
             */
            missed?: "once" | "skip";
            /** @default true */
            enabled?: boolean;
        };
        CreateWebhook: {
            name: string;
            /**
             * Format: uri
             * @description https, or http to where DEVICE_ALLOW_LOOPBACK permits it
             */
            url: string;
            types: string[];
            /** @default true */
            enabled?: boolean;
        };
        CredentialsJobSpec: {
            /**
             * @description Which account of the gateway; `read`: the account for reads
             * @default main
             * @enum {string}
             */
            account?: "main" | "read";
            /**
             * Format: uuid
             * @description Id of a sealed value with the password. Absent: the gateway generates one
             */
            sealedValue?: string;
        };
        /**
         * @example {
         *       "type": "choice",
         *       "choices": [
         *         "north",
         *         "south"
         *       ],
         *       "description": "Region"
         *     }
         */
        DefineField: {
            /** @enum {string} */
            type: "text" | "number" | "boolean" | "date" | "choice";
            /** @description The allowed values of type `choice` */
            choices?: string[];
            /**
             * @description What it is for
             * @default
             */
            description?: string;
        };
        Device: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @example https://192.0.2.7 */
            baseUrl: string;
            serial: string | null;
            mac: string | null;
            model: string | null;
            firmware: string | null;
            /** @description The mobile network that its modem named last */
            networkOperator: string | null;
            /** @example vilnius/plant-2 */
            site: string;
            tags: string[];
            /** @example Keys at the gate */
            note: string;
            /**
             * @description Values of custom fields
             * @example {
             *       "rack": "B7"
             *     }
             */
            fields: {
                [key: string]: string | number | boolean;
            };
            /** @description Of the hardware that it replaced, the latest last */
            formerSerials: string[];
            timeZone: string | null;
            /** @enum {string} */
            profile: "unknown" | "spec" | "rutos";
            apiVersion: string | null;
            trust: {
                /** @enum {string} */
                mode: "pin" | "ca" | "insecure";
                pin: string | null;
                /** @description What the device showed instead of the pin */
                offeredPin: string | null;
                expiresAt: string | null;
            };
            /** @description Simultaneous sessions with each account */
            sessions: number;
            /** @description The user name that the gateway logs in with; the password cannot be read */
            credentials: {
                username: string;
                failedLogins: number;
                /** Format: date-time */
                changedAt: string;
            } | null;
            /** @description Whose login it uses to read, where the device has such an account */
            readCredentials: {
                username: string;
                failedLogins: number;
                /** Format: date-time */
                changedAt: string;
            } | null;
            /** @enum {string} */
            state: "new" | "online" | "offline" | "credentials_refused" | "trust_changed";
            stateReason: string | null;
            seenAt: string | null;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            updatedAt: string;
        };
        DeviceAccess: {
            api: {
                [key: string]: ("read" | "write")[];
            };
        };
        /** @description An access list in the device’s own form; it applies only to calls */
        DeviceAcl: {
            api: {
                [key: string]: ("read" | "write")[];
            };
        };
        DeviceAvailability: {
            /** @description 48 instants, the last one is now */
            points: {
                /** Format: date-time */
                at: string;
                /** @description Devices that were registered then, and still are */
                devices: number;
                online: number;
            }[];
        };
        DeviceCertificate: {
            /** Format: uuid */
            deviceId: string;
            deviceName: string;
            /** @description Its name on the device */
            file: string;
            /** @description `ca`, `server`, `client`, or `root_ca` for an installed one */
            type: string;
            subject: string;
            issuer: string;
            /** Format: date-time */
            notBefore: string;
            /** Format: date-time */
            notAfter: string;
            /** @description SHA-256 of the certificate, in hex */
            fingerprint: string;
            /**
             * Format: date-time
             * @description When a job last saw it on the device
             */
            seenAt: string;
            /** Format: uuid */
            jobId: string;
        };
        DeviceCertificatePage: {
            items: components["schemas"]["DeviceCertificate"][];
            next: string | null;
        };
        DeviceField: {
            /** @example rack */
            key: string;
            /** @enum {string} */
            type: "text" | "number" | "boolean" | "date" | "choice";
            choices: string[];
            description: string;
            /** Format: date-time */
            updatedAt: string;
        };
        DeviceFieldList: {
            items: components["schemas"]["DeviceField"][];
        };
        DeviceHistory: {
            items: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                field: "state" | "firmware" | "serial" | "mac" | "model" | "profile" | "api_version";
                before: string | null;
                after: string | null;
            }[];
            next: string | null;
        };
        DevicePage: {
            items: (components["schemas"]["Device"] | components["schemas"]["DevicePart"])[];
            next: string | null;
            /** @description All devices of the list, with `count` */
            count?: {
                devices: number;
                /** @description false: an estimate of the database */
                exact: boolean;
            };
        };
        /** @description A device of a list with `fields`: the fields that were asked for */
        DevicePart: {
            /** Format: uuid */
            id: string;
            name?: string;
            /** @example https://192.0.2.7 */
            baseUrl?: string;
            serial?: string | null;
            mac?: string | null;
            model?: string | null;
            firmware?: string | null;
            /** @description The mobile network that its modem named last */
            networkOperator?: string | null;
            /** @example vilnius/plant-2 */
            site?: string;
            tags?: string[];
            /** @example Keys at the gate */
            note?: string;
            /**
             * @description Values of custom fields
             * @example {
             *       "rack": "B7"
             *     }
             */
            fields?: {
                [key: string]: string | number | boolean;
            };
            /** @description Of the hardware that it replaced, the latest last */
            formerSerials?: string[];
            timeZone?: string | null;
            /** @enum {string} */
            profile?: "unknown" | "spec" | "rutos";
            apiVersion?: string | null;
            trust?: {
                /** @enum {string} */
                mode: "pin" | "ca" | "insecure";
                pin: string | null;
                /** @description What the device showed instead of the pin */
                offeredPin: string | null;
                expiresAt: string | null;
            };
            /** @description Simultaneous sessions with each account */
            sessions?: number;
            /** @description The user name that the gateway logs in with; the password cannot be read */
            credentials?: {
                username: string;
                failedLogins: number;
                /** Format: date-time */
                changedAt: string;
            } | null;
            /** @description Whose login it uses to read, where the device has such an account */
            readCredentials?: {
                username: string;
                failedLogins: number;
                /** Format: date-time */
                changedAt: string;
            } | null;
            /** @enum {string} */
            state?: "new" | "online" | "offline" | "credentials_refused" | "trust_changed";
            stateReason?: string | null;
            seenAt?: string | null;
            /** Format: date-time */
            createdAt?: string;
            /** Format: date-time */
            updatedAt?: string;
        };
        DeviceSession: {
            /** @description At least one for each account of the device; more where it is set to several sessions and they are used */
            sessions: {
                /**
                 * @description `read`: the account for reads
                 * @enum {string}
                 */
                account: "main" | "read";
                /**
                 * @description `paused`: a login failed and is retried soon; `refused`: the device refused the password
                 * @enum {string}
                 */
                phase: "none" | "logging-in" | "valid" | "paused" | "refused";
                grantedAt: string | null;
                ageSeconds: number | null;
                /** @description When the token ends unless it is used before, where the device prolongs it by use */
                endsAt: string | null;
                /** @description Logins with the account since midnight (UTC), those of other replicas included */
                loginsToday: number;
                /** @description Refused logins since the credentials changed; at 3 the gateway stops permanently */
                failedLogins: number;
            }[];
            breaker: {
                /** @enum {string} */
                state: "closed" | "open";
                /** @description Transport errors in a row */
                failures: number;
                /** @description When the gateway tries the device again */
                probeAt: string | null;
            };
            /** @description Active calls and calls that wait for the device */
            slots: {
                read: {
                    taken: number;
                    waiting: number;
                };
                write: {
                    taken: number;
                    waiting: number;
                };
            };
        };
        DeviceSummary: {
            /** @description All devices of the selector that you see */
            devices: number;
            groups: {
                /** @example state */
                by: string;
                /** @description The most frequent first, at most 200. A device counts for each of its tags */
                values: {
                    /** @description null: the devices without a value */
                    value: string | null;
                    devices: number;
                }[];
                /** @description How many further values there are */
                others: number;
            }[];
        };
        DevicesPreview: {
            /** @description Devices of the selector that you see */
            matched: number;
            /** @description Those of them that the action would take */
            count: number;
            /** @description The first ten */
            sample: {
                /** Format: uuid */
                id: string;
                name: string;
            }[];
            /** @description Those that it would leave out, by an error code */
            excluded: {
                reason: string;
                count: number;
                /** @description The first ten */
                sample: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                }[];
            }[];
            /** @description Of all `matched` devices: send it as `expectedDigest` of the action */
            digest: string;
        };
        DevicesRemoved: {
            dryRun: boolean;
            matched: number;
            /** @description SHA-256 of the sorted ids of the devices, in hex */
            digest: string;
            removed: number;
        };
        DiscoveredAddress: {
            /** Format: uuid */
            id: string;
            /** @example 192.0.2.7 */
            address: string;
            port: number;
            /** @example https://192.0.2.7 */
            baseUrl: string;
            /**
             * @description `other`: something answers that was not recognised as a device
             * @enum {string}
             */
            kind: "device" | "other";
            /** @description Why it was not recognised */
            reason: string | null;
            /** @description Of the key that it showed */
            pin: string | null;
            certificate: {
                /** @example CN=192.0.2.7 */
                subject: string;
                /** @example CN=192.0.2.7 */
                issuer: string;
                notAfter: string | null;
                /**
                 * @description SHA-256 of the certificate, in hex
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                fingerprint: string;
            } | null;
            /** @description As it calls itself */
            name: string | null;
            model: string | null;
            /** @description As it says without a login: mostly the serial number */
            identifier: string | null;
            apiVersion: string | null;
            /** @description The last login; null: none was sent */
            login: ("granted" | "refused" | "unclear") | null;
            /** @description Shown after a login, as `mac` and `firmware` */
            serial: string | null;
            mac: string | null;
            firmware: string | null;
            /** @description The device of the registry that it is, or claims to be; null: none that you see */
            known: {
                /** Format: uuid */
                deviceId: string;
                /** @enum {string} */
                by: "baseUrl" | "serial" | "mac";
                /** @description Whether it showed the key that the registry has pinned */
                pinMatches: boolean;
            } | null;
            /** Format: date-time */
            seenAt: string;
        };
        Discovery: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "queued" | "running" | "finished" | "cancelled" | "failed";
            networks: string[];
            ports: number[];
            pace: {
                atOnce: number;
                perSecond: number;
            };
            /** @description Addresses of the networks */
            addresses: number;
            /** @description Of them, those that are done */
            searched: number;
            found: {
                /** @description Addresses at which a device answered */
                devices: number;
                /** @description Addresses at which something else answered */
                others: number;
            };
            /** @description Logins that were sent */
            logins: {
                granted: number;
                refused: number;
                unclear: number;
            };
            /** @description Why it failed: its starter may no longer search, it ended two processes, or its credentials do not open */
            failure: ("starter_may_not" | "quarantined" | "secret_unreadable") | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            endedAt: string | null;
        };
        Event: {
            /** @example job.ended */
            type: string;
            /** Format: date-time */
            at: string;
            /** @description The id of its subject */
            subject: string;
            deviceId: string | null;
            data: {
                [key: string]: unknown;
            };
        };
        ExportedDevice: {
            /** @example pump-1 */
            name: string;
            /** @example https://192.0.2.7 */
            baseUrl: string;
            /** @example vilnius/plant-2 */
            site: string;
            tags: string[];
        } & {
            [key: string]: unknown;
        };
        FanOut: {
            /**
             * @description Which devices; see docs/reference/selectors.md
             * @example tag:pump
             */
            selector: string;
            /**
             * @description The call
             * @example {
             *       "method": "GET",
             *       "path": "/api/system/device/status"
             *     }
             */
            request?: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "DELETE";
                /**
                 * @description As the device knows it, with its query
                 * @example /api/system/device/status
                 */
                path: string;
                /** @description The body, where there is one */
                json?: unknown;
            };
            /** @description Or several, sent to each device as one bulk request */
            requests?: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "DELETE";
                /**
                 * @description As the device knows it, with its query
                 * @example /api/system/device/status
                 */
                path: string;
                /** @description The body, where there is one */
                json?: unknown;
            }[];
            /**
             * @default {
             *       "concurrency": 128,
             *       "perSite": 32,
             *       "timeoutMs": 15000,
             *       "bodies": "first"
             *     }
             */
            policy?: {
                /**
                 * @description Devices called at once
                 * @default 128
                 */
                concurrency?: number;
                /**
                 * @description Devices of one site called at once
                 * @default 32
                 */
                perSite?: number;
                /**
                 * @description Longest wait for one device, login included
                 * @default 15000
                 */
                timeoutMs?: number;
                /** @description When to start no more calls; calls in progress still finish */
                stopAfter?: {
                    /** @description This number of devices that did not succeed */
                    failures?: number;
                    /** @description Or this percentage of the devices that ended */
                    percent?: number;
                    /**
                     * @description The percentage applies from this number of ended devices
                     * @default 10
                     */
                    minimum?: number;
                };
                /**
                 * @description Which answers are sent with their body: each different one once, all, or none
                 * @default first
                 * @enum {string}
                 */
                bodies?: "first" | "all" | "none";
            };
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
            /**
             * @description List the devices that would be called and those that would be skipped, and call none
             * @default false
             */
            dryRun?: boolean;
            /** @description Store outcomes and answers; the stream begins with the id, and the fan-out continues without its reader */
            keep?: boolean;
        };
        FanOutAnswer: {
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            digest: string;
            bytes: number;
            /** @description Devices that gave this answer */
            devices: number;
            /** @description Whether the gateway stored the body; beyond the limits it stores digest and size */
            stored: boolean;
            /** @description The answer without its secrets; null when it is not stored */
            body: unknown;
        };
        FanOutDevice: {
            /** Format: uuid */
            deviceId: string;
            name: string;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "skipped" | "unreachable" | "unknown";
            /** @description An error code, or why it was skipped; null: it succeeded */
            reason: string | null;
            status: number | null;
            /**
             * @description SHA-256 of the answer without its secrets; null: none, or it cannot be searched for secrets
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            digest: string | null;
            /** @description Size of the answer without its secrets */
            bytes: number | null;
            /** @description The device's own error codes */
            deviceCodes: number[];
            ms: number | null;
        };
        FanOutGrid: {
            /** @description By site and name, at most 5000 */
            cells: {
                /** Format: uuid */
                deviceId: string;
                name: string;
                site: string;
                /** @description null: it has no outcome so far */
                outcome: ("succeeded" | "failed" | "skipped" | "unreachable" | "unknown") | null;
            }[];
            /** @description Whether devices are left out here */
            more: boolean;
        };
        FanOutLine: {
            /** @constant */
            type: "started";
            /**
             * Format: uuid
             * @description Of a stored fan-out: its first line
             */
            fanOutId: string;
        } | {
            /** @constant */
            type: "result";
            /** Format: uuid */
            deviceId: string;
            name: string;
            /** @enum {string} */
            outcome: "succeeded" | "failed" | "skipped" | "unreachable" | "unknown" | "would_call";
            /** @description An error code, or why it was skipped */
            reason: string | null;
            status?: number;
            /** @description SHA-256 of the body: equal answers have the same digest */
            digest?: string;
            /** @description Absent when an earlier line with this digest has it */
            body: unknown;
            /**
             * @description It cannot be shown, or it cannot be searched for secrets that you may not read
             * @constant
             */
            bodyWithheld?: true;
            /** @description The device's own error codes */
            deviceCodes?: number[];
            ms?: number;
        } | {
            /** @constant */
            type: "summary";
            total: number;
            counts: {
                [key: string]: number;
            };
            /** @description The most frequent first */
            answers: {
                digest: string;
                count: number;
            }[];
            /** @description Why no more calls were started: failures, or a reader that read nothing */
            stopped: string | null;
            /**
             * Format: uuid
             * @description Finds the writes of this fan-out in the audit
             */
            operationId: string;
            ms: number;
        } | {
            /** @constant */
            type: "broken_off";
            reason: string;
        };
        FirmwareJobSpec: {
            /**
             * @description The source of the image
             * @default artifact
             * @example vendor
             * @enum {string}
             */
            source?: "artifact" | "vendor";
            /**
             * Format: uuid
             * @description The image in the artifact store
             */
            artifactId?: string;
            /** @description The approved digest; another one is refused */
            sha256?: string;
            /** @description From the vendor: the only accepted version; absent: its newest */
            version?: string;
            /** @default true */
            keepSettings?: boolean;
            /** @default false */
            allowDowngrade?: boolean;
            /**
             * @description Whether an image without the vendor’s signature is accepted
             * @default false
             */
            allowUnauthorized?: boolean;
            /**
             * @description Whether the artifact must have a signature of yours
             * @default false
             */
            requireSignature?: boolean;
            /**
             * @description Whether a stored backup is required
             * @default required
             * @enum {string}
             */
            backup?: "required" | "skip";
            /** @default 24 */
            backupMaxAgeHours?: number;
            /**
             * @description Weakest RSRP at which to begin, where the device has a modem that tells it; null: any
             * @default -115
             */
            minimumSignalDbm?: number | null;
        };
        FleetImport: {
            dryRun: boolean;
            /** @description How the file was read, such as utf-8 or windows-1252 */
            encoding: string;
            lines: number;
            created: number;
            updated: number;
            unchanged: number;
            /** @description Lines with an error */
            failed: number;
            /** @description The first 1,000, in the order of the lines; line 1 of a CSV file is its header */
            errors: {
                line: number;
                field: string | null;
                code: string;
                detail: string;
            }[];
        };
        GiveSealedValue: {
            /** @description A description for people; not a secret */
            label: string;
            /** @description The secret; it is sealed, and no answer shows it */
            value: string;
            /**
             * @description How long it is stored
             * @default 30
             */
            days?: number;
        };
        HealthCheck: {
            /** @enum {string} */
            check: "reachable";
        } | {
            /** @enum {string} */
            check: "firmware";
            is: string;
        } | {
            /** @enum {string} */
            check: "call";
            /** @description Canonical device path, from /api/ on; it is read with the rights of the author */
            path: string;
            /** @description What the `data` of the answer must contain */
            match: {
                [key: string]: unknown;
            };
        };
        ImportOperation: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            state: "running" | "succeeded" | "failed" | "cancelled";
            dryRun: boolean;
            /** @description Lines of the file; null: still reading */
            lines: number | null;
            /** @description Checked lines; all their changes are committed together at the end */
            doneLines: number;
            /** @description Present when it has succeeded */
            result: components["schemas"]["FleetImport"] | null;
            /** @description Why it changed nothing */
            failure: {
                code: string;
                detail: string;
                errors: unknown[];
            } | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
        };
        Invitation: {
            /** @description Shown only now; the person uses it at POST /v1/invitations/accept */
            token: string;
            /** @description The address to give to the person: its fragment is the token, which no server sees */
            url: string;
            /** Format: date-time */
            expiresAt: string;
        };
        IssueApiKey: {
            /**
             * Format: uuid
             * @description Whose key; absent: your own
             */
            operatorId?: string;
            /**
             * @description What it is for
             * @example nightly report
             */
            name: string;
            /**
             * Format: date-time
             * @description When it ends, in the future; absent: never
             */
            expiresAt?: string;
            /** @description Narrows it below its operator; absent: nothing */
            scope?: components["schemas"]["KeyScope"];
            /**
             * @description Networks from which it may be used; empty: any
             * @default []
             */
            allowedAddresses?: (string)[];
            /** @description Its own limit; absent: the limit of the configuration */
            callsPerMinute?: number;
        };
        IssueOwnApiKey: {
            /**
             * @description What it is for
             * @example nightly report
             */
            name: string;
            /**
             * Format: date-time
             * @description When it ends, in the future; absent: never
             */
            expiresAt?: string;
            /** @description Narrows it below its operator; absent: nothing */
            scope?: components["schemas"]["KeyScope"];
            /**
             * @description Networks from which it may be used; empty: any
             * @default []
             */
            allowedAddresses?: (string)[];
            /** @description Its own limit; absent: the limit of the configuration */
            callsPerMinute?: number;
        };
        IssuedApiKey: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            operatorId: string;
            /** @example nightly report */
            name: string;
            /**
             * @description The first letters of the key, to recognise it
             * @example fg_8JqL
             */
            prefix: string;
            /** Format: date-time */
            createdAt: string;
            expiresAt: string | null;
            revokedAt: string | null;
            scope: components["schemas"]["KeyScope"] | null;
            allowedAddresses: string[];
            callsPerMinute: number | null;
            /** @description The key that it replaces */
            replacesId: string | null;
            /** @description To the minute */
            lastUsedAt: string | null;
            lastUsedAddress: string | null;
            /** @description The key itself; shown only now */
            key: string;
        };
        Job: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            deviceId: string;
            kind: string;
            spec: unknown;
            /**
             * @description `queued`: it waits; `dispatched`: it goes to a worker; `running`; `ended`
             * @enum {string}
             */
            phase: "queued" | "dispatched" | "running" | "ended";
            outcome: ("succeeded" | "failed" | "not_executed" | "unknown" | "cancelled") | null;
            /** @description Its progress */
            step: string;
            /** @description How far it is, where its kind tells; the percents of a wait go by the clock */
            progress: {
                percent: number;
                text: string;
            } | null;
            waitReason: string | null;
            /**
             * Format: date-time
             * @description When its next step is due
             */
            wakeAt: string;
            /** Format: date-time */
            deadlineAt: string;
            /** @description Consecutive problems at this step */
            attempts: number;
            /** @description Workers lost in a row while they ran this step; a job is quarantined when a second one is lost with no other work */
            lostWorkers: number;
            cancelAskedAt: string | null;
            result: {
                [key: string]: unknown;
            } | null;
            failure: {
                code: string;
                message: string;
                facts: {
                    [key: string]: unknown;
                };
            } | null;
            startedBy: string;
            startedByName: string;
            reason: string | null;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            endedAt: string | null;
        } & ({
            /** @enum {unknown} */
            kind: "backup";
            spec: components["schemas"]["BackupJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "call";
            spec: components["schemas"]["CallJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "certificates";
            spec: components["schemas"]["CertificatesJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "configure";
            spec: components["schemas"]["ConfigureJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "credentials";
            spec: components["schemas"]["CredentialsJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "firmware";
            spec: components["schemas"]["FirmwareJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "reboot";
            spec: components["schemas"]["RebootJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "restore";
            spec: components["schemas"]["RestoreJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "upload";
            spec: components["schemas"]["UploadJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "users";
            spec: components["schemas"]["UsersJobSpec"];
        });
        JobPage: {
            items: components["schemas"]["Job"][];
            next: string | null;
        };
        JobWithSteps: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            deviceId: string;
            kind: string;
            spec: unknown;
            /**
             * @description `queued`: it waits; `dispatched`: it goes to a worker; `running`; `ended`
             * @enum {string}
             */
            phase: "queued" | "dispatched" | "running" | "ended";
            outcome: ("succeeded" | "failed" | "not_executed" | "unknown" | "cancelled") | null;
            /** @description Its progress */
            step: string;
            /** @description How far it is, where its kind tells; the percents of a wait go by the clock */
            progress: {
                percent: number;
                text: string;
            } | null;
            waitReason: string | null;
            /**
             * Format: date-time
             * @description When its next step is due
             */
            wakeAt: string;
            /** Format: date-time */
            deadlineAt: string;
            /** @description Consecutive problems at this step */
            attempts: number;
            /** @description Workers lost in a row while they ran this step; a job is quarantined when a second one is lost with no other work */
            lostWorkers: number;
            cancelAskedAt: string | null;
            result: {
                [key: string]: unknown;
            } | null;
            failure: {
                code: string;
                message: string;
                facts: {
                    [key: string]: unknown;
                };
            } | null;
            startedBy: string;
            startedByName: string;
            reason: string | null;
            /** Format: date-time */
            createdAt: string;
            startedAt: string | null;
            endedAt: string | null;
            steps: {
                ordinal: number;
                /** Format: date-time */
                at: string;
                step: string;
                text: string;
                facts: {
                    [key: string]: unknown;
                };
            }[];
        } & ({
            /** @enum {unknown} */
            kind: "backup";
            spec: components["schemas"]["BackupJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "call";
            spec: components["schemas"]["CallJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "certificates";
            spec: components["schemas"]["CertificatesJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "configure";
            spec: components["schemas"]["ConfigureJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "credentials";
            spec: components["schemas"]["CredentialsJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "firmware";
            spec: components["schemas"]["FirmwareJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "reboot";
            spec: components["schemas"]["RebootJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "restore";
            spec: components["schemas"]["RestoreJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "upload";
            spec: components["schemas"]["UploadJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "users";
            spec: components["schemas"]["UsersJobSpec"];
        });
        KeyRotation: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            what: "root_key" | "data_key";
            /** @enum {string} */
            phase: "announced" | "switched" | "resealing" | "retiring" | "finished" | "blocked";
            /** @description Values sealed again, or data keys wrapped again */
            done: number;
            /** @description Values that cannot be decrypted: they were altered or moved. Set them again, then start again */
            unreadable: {
                table: string;
                /** Format: uuid */
                rowId: string;
            }[];
            startedBy: string;
            startedByName: string;
            /** Format: date-time */
            startedAt: string;
            switchedAt: string | null;
            endedAt: string | null;
        };
        KeyScope: {
            /** @description Patterns of permissions; absent: all permissions of the operator */
            permissions?: string[];
            /** @description Which devices; absent: all devices of the operator; docs/reference/selectors.md has the grammar */
            selector?: string;
            /** @description What on these devices; absent: everything that the operator may do */
            devices?: components["schemas"]["DeviceAccess"];
            /** @description Whether the key may do actions that need a second factor; set by a person who has just shown one */
            stepUp?: boolean;
        };
        Liveness: {
            /** @enum {string} */
            status: "ok";
            version: string;
        };
        Lock: {
            /** @enum {string} */
            kind: "operator";
            /**
             * Format: uuid
             * @description The operator
             */
            target: string;
            /** @description The reason, shown to callers that the lock stops */
            reason: string;
            /** @description When it ends by itself; null: only when it is lifted */
            endsAt?: string | null;
        } | {
            /** @enum {string} */
            kind: "key";
            /**
             * Format: uuid
             * @description The API key
             */
            target: string;
            /** @description The reason, shown to callers that the lock stops */
            reason: string;
            /** @description When it ends by itself; null: only when it is lifted */
            endsAt?: string | null;
        } | {
            /** @enum {string} */
            kind: "device";
            /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
            target: string;
            /** @description The reason, shown to callers that the lock stops */
            reason: string;
            /** @description When it ends by itself; null: only when it is lifted */
            endsAt?: string | null;
        } | {
            /** @enum {string} */
            kind: "selector";
            /** @description All devices of a selector, also those that match it later */
            target: string;
            /** @description `digest` of a preview: where the selector names other devices by now, nothing is locked */
            expectedDigest?: string;
            /** @description The reason, shown to callers that the lock stops */
            reason: string;
            /** @description When it ends by itself; null: only when it is lifted */
            endsAt?: string | null;
        } | {
            /**
             * @description All writes, to devices and to the gateway
             * @enum {string}
             */
            kind: "writes";
            /** @description The reason, shown to callers that the lock stops */
            reason: string;
            /** @description When it ends by itself; null: only when it is lifted */
            endsAt?: string | null;
        };
        LockPage: {
            items: components["schemas"]["LockView"][];
            next: string | null;
        };
        LockView: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            kind: "operator" | "key" | "device" | "selector" | "writes";
            /** @description null for all writes, and for a selector that names devices if you may see only some devices */
            target: string | null;
            reason: string;
            /** Format: date-time */
            createdAt: string;
            createdBy: string;
            createdByName: string;
            endsAt: string | null;
            liftedAt: string | null;
        };
        Login: {
            name: string;
            password: string;
            /**
             * @description Six digits of the authenticator, or a recovery code; each works once
             * @example 123456
             */
            code?: string;
        };
        MadeRollout: components["schemas"]["Rollout"] | components["schemas"]["RolloutPlan"];
        MadeWebhook: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Without user, password and query, which often contain a token; sent back in this form, the address does not change */
            url: string;
            /** @description Whether it has a user, a password or a query */
            urlHidesSome: boolean;
            types: string[];
            enabled: boolean;
            /** @description Its author was disabled or their key revoked: it sends nothing until an operator saves it again */
            orphaned: boolean;
            /** @description When it was stopped because two processes were lost; it sends again when saved with `enabled` */
            quarantinedAt: string | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
            /** @description `whsec_…` to check signatures; shown only now */
            secret: string;
        };
        MaintenanceWindow: {
            /**
             * @description The days on which it opens; a window that crosses midnight belongs to the day on which it opens
             * @default [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri",
             *       "sat",
             *       "sun"
             *     ]
             */
            days: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /** @description When it opens, in the time zone of the device */
            from: string;
            /** @description When it closes; not later than `from` means on the next day */
            to: string;
            /**
             * @description Dates on which it does not open
             * @default []
             */
            except: string[];
        };
        MaintenanceWindowInput: {
            /**
             * @description The days on which it opens; a window that crosses midnight belongs to the day on which it opens
             * @default [
             *       "mon",
             *       "tue",
             *       "wed",
             *       "thu",
             *       "fri",
             *       "sat",
             *       "sun"
             *     ]
             */
            days?: ("mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun")[];
            /** @description When it opens, in the time zone of the device */
            from: string;
            /** @description When it closes; not later than `from` means on the next day */
            to: string;
            /**
             * @description Dates on which it does not open
             * @default []
             */
            except?: string[];
        };
        OidcProviderList: {
            items: {
                id: string;
                name: string;
            }[];
        };
        OpenedValue: {
            /**
             * Format: uuid
             * @description The id for specs
             */
            id: string;
            label: string;
            deviceId: string | null;
            jobId: string | null;
            /** @description The backup policy whose copy of a passphrase it is */
            policyId: string | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
            value: string;
        };
        Operator: {
            /** Format: uuid */
            id: string;
            /** @example Ada */
            name: string;
            roles: {
                role: string;
                selector: string | null;
            }[];
            /** Format: date-time */
            createdAt: string;
            disabledAt: string | null;
            hasPassword: boolean;
            hasSecondFactor: boolean;
            /** @description OpenID providers linked to this person */
            providers: string[];
        };
        OperatorList: {
            items: components["schemas"]["Operator"][];
        };
        OperatorRoles: {
            roles: {
                role: string;
                selector: string | null;
            }[];
        };
        PreviewDevices: {
            /**
             * @description Which devices; see docs/reference/selectors.md
             * @example tag:pump
             */
            selector: string;
            /**
             * @description What the action needs; devices on which you lack it are excluded
             * @default device.read
             * @enum {string}
             */
            permission?: "device.read" | "device.call_read" | "device.call_write" | "device.read_secrets" | "device.manage" | "device.trust" | "job.read" | "job.start" | "job.start_sensitive" | "job.cancel" | "artifact.read" | "audit.read";
        };
        Problem: {
            type: string;
            title: string;
            status: number;
            detail?: string;
            /** @description Stable name of the error; see docs/reference/errors.md */
            code: string;
            requestId: string;
            errors?: {
                pointer: string;
                detail: string;
            }[];
        } & {
            [key: string]: unknown;
        };
        Readiness: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            checks: {
                [key: string]: "ok" | "unavailable";
            };
        };
        RebootJobSpec: Record<string, never>;
        RecoveryCodes: {
            /** @description Each works once; shown only now */
            recoveryCodes: string[];
        };
        RegisterDevice: {
            /**
             * @description Unique in the fleet; upper and lower case are the same
             * @example pump-1
             */
            name: string;
            /**
             * @description https://host[:port] of the device
             * @example https://192.0.2.7
             */
            baseUrl: string;
            serial?: string;
            /** @example 00:1e:42:00:00:01 */
            mac?: string;
            /** @description If known; learned from the device later */
            model?: string;
            /**
             * @description Where the device is, such as vilnius/plant-2
             * @default
             * @example vilnius/plant-2
             */
            site?: string;
            /**
             * @example [
             *       "pump"
             *     ]
             */
            tags?: string[];
            /**
             * @description What people should know about the device; not for secrets
             * @default
             * @example Keys at the gate
             */
            note?: string;
            /**
             * @description Values of custom fields (GET /v1/fields); null removes one, and absent ones stay
             * @default {}
             * @example {
             *       "rack": "B7"
             *     }
             */
            fields?: {
                [key: string]: string | number | boolean | null;
            };
            /** @description Time zone of maintenance windows; absent: that of the rollout */
            timeZone?: string;
            /**
             * @description Simultaneous sessions with each account; use 1 unless calls wait for each other, since each login uses device memory
             * @default 1
             */
            sessions?: number;
            trust?: {
                /** @constant */
                mode: "pin";
                /**
                 * @description SHA-256 of the public key of the certificate (SPKI), as `sha256/…`
                 * @example sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
                 */
                pin?: string;
            } | {
                /** @constant */
                mode: "ca";
                /** @description Certificates in PEM that may sign the certificate of the device */
                ca: string;
            } | {
                /** @constant */
                mode: "insecure";
                /**
                 * Format: date-time
                 * @description At most 30 days ahead
                 */
                expiresAt: string;
            };
            credentials?: {
                /** @example admin */
                username: string;
                /**
                 * @description Stored sealed; no answer ever shows it
                 * @example correct-Horse-7
                 */
                password: string;
            };
        };
        /**
         * @example {
         *       "selector": "tag:pump",
         *       "dryRun": true
         *     }
         */
        RemoveDevices: {
            /** @description Which devices; see docs/reference/selectors.md */
            selector: string;
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
            /**
             * @description Count only, and remove nothing
             * @default false
             */
            dryRun?: boolean;
        };
        ReplaceDevice: {
            /** @description Of the new hardware; absent: learned at its first login */
            serial?: string;
            /** @example 00:1e:42:00:00:01 */
            mac?: string;
            /**
             * @description If the new hardware has another address
             * @example https://192.0.2.8
             */
            baseUrl?: string;
            /** @description How the gateway recognises the new hardware */
            trust?: {
                /** @enum {string} */
                mode: "pin";
                /**
                 * @description SHA-256 of the public key of the certificate (SPKI), as `sha256/…`
                 * @example sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
                 */
                pin?: string;
            } | {
                /** @enum {string} */
                mode: "ca";
                /** @description Certificates in PEM that may sign the certificate of the device */
                ca: string;
            } | {
                /** @enum {string} */
                mode: "insecure";
                /**
                 * Format: date-time
                 * @description At most 30 days ahead
                 */
                expiresAt: string;
            };
            /** @description Absent: the device has none until they are set */
            credentials?: {
                /** @example admin */
                username: string;
                /**
                 * @description Stored sealed; no answer ever shows it
                 * @example correct-Horse-7
                 */
                password: string;
            };
        };
        RestoreJobSpec: {
            /**
             * Format: uuid
             * @description A backup in the artifact store
             */
            artifactId: string;
            /** @description The approved digest; another one is refused */
            sha256?: string;
            /**
             * @description Whether the backup of another device may be restored
             * @default false
             */
            allowOther?: boolean;
            /**
             * Format: uuid
             * @description Id of the sealed value with the passphrase of an encrypted backup. Absent: the passphrase of its policy
             */
            sealedPassword?: string;
            /**
             * @description Whether the device is looked for where it announces that it will be, and registered there
             * @default true
             */
            follow?: boolean;
        };
        RetryFanOut: {
            /**
             * @description Devices with these outcomes are called again
             * @default [
             *       "failed",
             *       "unreachable"
             *     ]
             */
            outcomes?: ("failed" | "unreachable" | "skipped" | "unknown")[];
            /**
             * @description Whether to write again to devices that may have executed the write
             * @default false
             */
            repeatUnknown?: boolean;
        };
        RetryRollout: {
            /**
             * @description Which targets to retry
             * @default [
             *       "failed"
             *     ]
             */
            states?: ("failed" | "unknown" | "skipped" | "cancelled")[];
        };
        Rhythm: {
            /**
             * @description Minute, hour, day of the month, month, day of the week
             * @example 30 2 * * 1-5
             */
            cron: string;
            /**
             * @description IANA time zone, such as Europe/Vilnius
             * @default UTC
             */
            timeZone?: string;
        } | {
            everySeconds: number;
        };
        RightExplained: {
            allowed: boolean;
            permission: string;
            /** @description In words */
            because: string;
            /** @description The rules that decided */
            rules: {
                /**
                 * @description `key`: the scope of the key narrows the rights of its operator
                 * @enum {string}
                 */
                layer: "operator" | "key";
                role: string;
                /** @description Position in its role, from 1 */
                rule: number;
                /** @enum {string} */
                effect: "allow" | "deny";
                permissions: string[];
                selectors: string[];
                paths: unknown;
            }[];
        };
        Role: {
            name: string;
            builtIn: boolean;
            description: string;
            /** @description As they were saved */
            rules: unknown[];
            version: number;
            /** Format: date-time */
            updatedAt: string;
        };
        RoleAssignment: {
            /**
             * @description The name of the role
             * @example field-engineer
             */
            role: string;
            /**
             * @description Which devices; null: all. A saved selector (@name) is not allowed: a right must be complete in itself
             * @default null
             */
            selector?: string | null;
        };
        RoleList: {
            items: components["schemas"]["Role"][];
        };
        RollBackRollout: {
            /**
             * @description Only report what it would do
             * @default false
             */
            dryRun?: boolean;
        };
        Rollout: {
            /** Format: uuid */
            id: string;
            /** @example June firmware */
            name: string;
            /** @example firmware */
            kind: string;
            /**
             * @example {
             *       "source": "vendor"
             *     }
             */
            spec: unknown;
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump & firmware<7.14
             */
            selector: string | null;
            /** @description Secrets that checks compare are shown as fingerprints */
            policy: components["schemas"]["RolloutPolicy"];
            /** @enum {string} */
            state: "draft" | "awaiting_approval" | "scheduled" | "running" | "paused" | "aborting" | "finished" | "aborted";
            pause: {
                cause: string;
                sentence: string;
            } | null;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            planDigest: string;
            scheduleId: string | null;
            /** @description The rollout that this one rolls back */
            rollsBack: string | null;
            createdBy: string;
            createdByName: string;
            approvedByName: string | null;
            /** Format: date-time */
            createdAt: string;
            startsAt: string | null;
            startedAt: string | null;
            endedAt: string | null;
            total: number;
            /** @description Counts of the devices that you see; they always add up to the total */
            counts: components["schemas"]["TargetCounts"];
        };
        RolloutLive: {
            /** Format: uuid */
            id: string;
            /** @example June firmware */
            name: string;
            /** @example firmware */
            kind: string;
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump & firmware<7.14
             */
            selector: string | null;
            /** @enum {string} */
            state: "draft" | "awaiting_approval" | "scheduled" | "running" | "paused" | "aborting" | "finished" | "aborted";
            pause: {
                cause: string;
                sentence: string;
            } | null;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            planDigest: string;
            scheduleId: string | null;
            /** @description The rollout that this one rolls back */
            rollsBack: string | null;
            createdBy: string;
            createdByName: string;
            approvedByName: string | null;
            /** Format: date-time */
            createdAt: string;
            startsAt: string | null;
            startedAt: string | null;
            endedAt: string | null;
            total: number;
            /** @description Counts of the devices that you see; they always add up to the total */
            counts: components["schemas"]["TargetCounts"];
            waves: {
                ordinal: number;
                name: string;
                /** @enum {string} */
                state: "waiting" | "running" | "soaking" | "passed" | "failed";
                /** @enum {string} */
                gate: "auto" | "manual";
                promoted: boolean;
                soakUntil: string | null;
                startedAt: string | null;
                endedAt: string | null;
                counts: components["schemas"]["TargetCounts"];
            }[];
        };
        RolloutPage: {
            items: components["schemas"]["Rollout"][];
            next: string | null;
        };
        RolloutPlan: {
            digest: string;
            /** @description Devices that take part */
            total: number;
            /** @description How many of them are offline now */
            offline: number;
            waves: {
                name: string;
                total: number;
                /** @description Names of the first ten */
                first: string[];
            }[];
            /** @description The first 1,000 */
            skipped: {
                /** Format: uuid */
                deviceId: string;
                name: string;
                reason: string;
            }[];
            skippedTotal: number;
            /** @description Other open rollouts that have devices of this one, and how many */
            heldBy: {
                /** Format: uuid */
                rolloutId: string;
                name: string;
                devices: number;
            }[];
            needsApproval: boolean;
            /** @description Bytes of the artifacts that each start sends to its device */
            bytesPerStart: number;
            /** @description At the earliest; null: no window opens, or it takes more than three years */
            estimate: {
                /** Format: date-time */
                beginsAt: string;
                /** Format: date-time */
                endsAt: string;
            } | null;
        };
        RolloutPolicy: {
            /** @description The first is the canary */
            waves: components["schemas"]["WavePolicy"][];
            /**
             * @description Health checks of the succeeded devices of a wave after its soak; later successes are not checked
             * @default []
             */
            checks: components["schemas"]["HealthCheck"][];
            /** @description When the rollout pauses automatically */
            stop: {
                /** @description This number of failed devices */
                failures?: number;
                /** @description This share of the finished devices */
                percent?: number;
                /**
                 * @description The share applies from this number of finished devices
                 * @default 5
                 */
                minimum: number;
            };
            /**
             * @description Devices that run at the same time
             * @default 50
             */
            concurrency: number;
            /** @description Devices of one site that run at the same time */
            perSite?: number;
            /** @description Devices started per minute; parts are rounded up */
            perMinute?: number;
            /** @description The average bandwidth of all uploads together; at least one device may start each minute */
            bytesPerSecond?: number;
            /**
             * @description Absent: at any time
             * @default []
             */
            windows: components["schemas"]["MaintenanceWindow"][];
            /**
             * @description For devices without their own
             * @default UTC
             */
            timeZone: string;
            /**
             * @description The longest expected time for one device, not a limit: it starts only when this much of its window is left
             * @default 15
             */
            expectedMinutes: number;
            offline: {
                /**
                 * @default wait
                 * @enum {string}
                 */
                action: "wait" | "skip";
                /**
                 * @description After this time the device is skipped
                 * @default 72
                 */
                waitHours: number;
            };
            /**
             * @description Devices that another rollout has: skip them when this one is planned, or wait for them
             * @default skip
             * @enum {string}
             */
            held: "skip" | "wait";
            /**
             * @description Retries of a device with a retryable failure
             * @default 1
             */
            retries: number;
            /**
             * @description `following`: devices that come to match the selector join the last wave; those that leave are skipped
             * @default frozen
             * @enum {string}
             */
            membership: "frozen" | "following";
            /**
             * Format: date-time
             * @description No device starts after this; the rest is cancelled
             */
            endsAt?: string;
        };
        RolloutPolicyInput: {
            /**
             * @description The first is the canary
             * @default [
             *       {
             *         "name": "canary",
             *         "take": {
             *           "count": 1
             *         },
             *         "successPercent": 100
             *       },
             *       {
             *         "name": "early",
             *         "take": {
             *           "percent": 10
             *         }
             *       },
             *       {
             *         "name": "rest",
             *         "take": "rest"
             *       }
             *     ]
             */
            waves?: components["schemas"]["WavePolicyInput"][];
            /**
             * @description Health checks of the succeeded devices of a wave after its soak; later successes are not checked
             * @default []
             */
            checks?: components["schemas"]["HealthCheck"][];
            /**
             * @description When the rollout pauses automatically
             * @default {
             *       "percent": 10
             *     }
             */
            stop?: {
                /** @description This number of failed devices */
                failures?: number;
                /** @description This share of the finished devices */
                percent?: number;
                /**
                 * @description The share applies from this number of finished devices
                 * @default 5
                 */
                minimum?: number;
            };
            /**
             * @description Devices that run at the same time
             * @default 50
             */
            concurrency?: number;
            /** @description Devices of one site that run at the same time */
            perSite?: number;
            /** @description Devices started per minute; parts are rounded up */
            perMinute?: number;
            /** @description The average bandwidth of all uploads together; at least one device may start each minute */
            bytesPerSecond?: number;
            /**
             * @description Absent: at any time
             * @default []
             */
            windows?: components["schemas"]["MaintenanceWindowInput"][];
            /**
             * @description For devices without their own
             * @default UTC
             */
            timeZone?: string;
            /**
             * @description The longest expected time for one device, not a limit: it starts only when this much of its window is left
             * @default 15
             */
            expectedMinutes?: number;
            /** @default {} */
            offline?: {
                /**
                 * @default wait
                 * @enum {string}
                 */
                action?: "wait" | "skip";
                /**
                 * @description After this time the device is skipped
                 * @default 72
                 */
                waitHours?: number;
            };
            /**
             * @description Devices that another rollout has: skip them when this one is planned, or wait for them
             * @default skip
             * @enum {string}
             */
            held?: "skip" | "wait";
            /**
             * @description Retries of a device with a retryable failure
             * @default 1
             */
            retries?: number;
            /**
             * @description `following`: devices that come to match the selector join the last wave; those that leave are skipped
             * @default frozen
             * @enum {string}
             */
            membership?: "frozen" | "following";
            /**
             * Format: date-time
             * @description No device starts after this; the rest is cancelled
             */
            endsAt?: string;
        };
        RolloutReport: {
            /** Format: uuid */
            id: string;
            /** @example June firmware */
            name: string;
            /** @example firmware */
            kind: string;
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump & firmware<7.14
             */
            selector: string | null;
            /** @enum {string} */
            state: "draft" | "awaiting_approval" | "scheduled" | "running" | "paused" | "aborting" | "finished" | "aborted";
            pause: {
                cause: string;
                sentence: string;
            } | null;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            planDigest: string;
            scheduleId: string | null;
            /** @description The rollout that this one rolls back */
            rollsBack: string | null;
            createdBy: string;
            createdByName: string;
            approvedByName: string | null;
            /** Format: date-time */
            createdAt: string;
            startsAt: string | null;
            startedAt: string | null;
            endedAt: string | null;
            total: number;
            /** @description Counts of the devices that you see; they always add up to the total */
            counts: components["schemas"]["TargetCounts"];
            waves: {
                ordinal: number;
                name: string;
                /** @enum {string} */
                state: "waiting" | "running" | "soaking" | "passed" | "failed";
                /** @enum {string} */
                gate: "auto" | "manual";
                promoted: boolean;
                soakUntil: string | null;
                startedAt: string | null;
                endedAt: string | null;
                counts: components["schemas"]["TargetCounts"];
            }[];
            reason: string | null;
            /** Format: date-time */
            madeAt: string;
            times: {
                totalSeconds: number | null;
                perDevice: {
                    /** @description In seconds */
                    p50: number;
                    /** @description In seconds */
                    p90: number;
                    /** @description In seconds */
                    max: number;
                } | null;
            };
            /** @description Devices that did not succeed, by result; the largest group first */
            causes: {
                state: string;
                reason: string | null;
                count: number;
                devices: string[];
            }[];
            needsPerson: {
                /** Format: uuid */
                deviceId: string;
                name: string;
                state: string;
                reason: string | null;
            }[];
        };
        RolloutTarget: {
            /** Format: uuid */
            deviceId: string;
            deviceName: string;
            wave: number;
            /** @enum {string} */
            state: "waiting" | "offline" | "queued" | "running" | "succeeded" | "failed" | "unknown" | "skipped" | "cancelled";
            /** @description Why it waits, or how it ended */
            reason: string | null;
            /** Format: date-time */
            wakeAt: string;
            tries: number;
            jobId: string | null;
            beganAt: string | null;
            endedAt: string | null;
        };
        RolloutTargetPage: {
            items: components["schemas"]["RolloutTarget"][];
            next: string | null;
        };
        RolloutTemplate: {
            /** @example June firmware */
            name: string;
            /**
             * @description The kind of job for each device
             * @example firmware
             */
            kind: string;
            /**
             * @description Its parameters, as for a single job; `{{device.site}}` and similar fields are replaced by values of each device
             * @default {}
             * @example {
             *       "source": "vendor"
             *     }
             */
            spec?: {
                [key: string]: unknown;
            };
            /**
             * @description Which devices; see docs/reference/selectors.md
             * @example tag:pump & firmware<7.14
             */
            selector: string;
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
            /** @default {} */
            policy?: components["schemas"]["RolloutPolicyInput"];
        };
        RolloutTemplateView: {
            /** @example June firmware */
            name: string;
            /**
             * @description The kind of job for each device
             * @example firmware
             */
            kind: string;
            /**
             * @description Its parameters, as for a single job; `{{device.site}}` and similar fields are replaced by values of each device
             * @default {}
             * @example {
             *       "source": "vendor"
             *     }
             */
            spec: {
                [key: string]: unknown;
            };
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump & firmware<7.14
             */
            selector: string | null;
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
            policy: components["schemas"]["RolloutPolicy"];
        };
        RolloutWithWaves: {
            /** Format: uuid */
            id: string;
            /** @example June firmware */
            name: string;
            /** @example firmware */
            kind: string;
            /**
             * @example {
             *       "source": "vendor"
             *     }
             */
            spec: unknown;
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump & firmware<7.14
             */
            selector: string | null;
            /** @description Secrets that checks compare are shown as fingerprints */
            policy: components["schemas"]["RolloutPolicy"];
            /** @enum {string} */
            state: "draft" | "awaiting_approval" | "scheduled" | "running" | "paused" | "aborting" | "finished" | "aborted";
            pause: {
                cause: string;
                sentence: string;
            } | null;
            /** @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 */
            planDigest: string;
            scheduleId: string | null;
            /** @description The rollout that this one rolls back */
            rollsBack: string | null;
            createdBy: string;
            createdByName: string;
            approvedByName: string | null;
            /** Format: date-time */
            createdAt: string;
            startsAt: string | null;
            startedAt: string | null;
            endedAt: string | null;
            total: number;
            /** @description Counts of the devices that you see; they always add up to the total */
            counts: components["schemas"]["TargetCounts"];
            waves: {
                ordinal: number;
                name: string;
                /** @enum {string} */
                state: "waiting" | "running" | "soaking" | "passed" | "failed";
                /** @enum {string} */
                gate: "auto" | "manual";
                promoted: boolean;
                soakUntil: string | null;
                startedAt: string | null;
                endedAt: string | null;
                counts: components["schemas"]["TargetCounts"];
            }[];
        };
        RotateApiKey: {
            /**
             * @description For how long the old key still works, at most until its own end
             * @default 24
             */
            overlapHours?: number;
        };
        RotateKeys: {
            /**
             * @description `root_key`: wrap the data keys with the new root key; `data_key`: seal every value again
             * @enum {string}
             */
            what: "root_key" | "data_key";
        };
        Rule: {
            /**
             * @description A rule that denies has priority over all that allow
             * @enum {string}
             */
            effect: "allow" | "deny";
            permissions: string[];
            /**
             * @description Which devices; null: all. A saved selector (@name) is not allowed: a right must be complete in itself
             * @default null
             */
            selector?: string | null;
            /** @default null */
            devices?: components["schemas"]["DeviceAcl"] | null;
        };
        SaveRole: {
            /** @default  */
            description?: string;
            rules: components["schemas"]["Rule"][];
        };
        SaveSelector: {
            /** @description Which devices; see docs/reference/selectors.md */
            selector: string;
            /**
             * @description What it is for
             * @default
             */
            description?: string;
        };
        SavedSelector: {
            name: string;
            selector: string;
            description: string;
            /** Format: date-time */
            updatedAt: string;
        };
        SavedSelectorList: {
            items: components["schemas"]["SavedSelector"][];
        };
        Schedule: {
            /** Format: uuid */
            id: string;
            name: string;
            rhythm: {
                /** @example 30 2 * * 1-5 */
                cron: string;
                /** @example Europe/Vilnius */
                timeZone: string;
            } | {
                everySeconds: number;
            };
            rollout: components["schemas"]["RolloutTemplateView"];
            /**
             * @description Runs that were missed while the gateway was down: run once, or skip
             * @enum {string}
             */
            missed: "once" | "skip";
            enabled: boolean;
            /** @description Its author was disabled or their key revoked: it starts nothing until an operator saves it again */
            orphaned: boolean;
            /** @description The next ones: three, or as many as `runs` says */
            nextRuns: string[];
            lastRunAt: string | null;
            lastRolloutId: string | null;
            /** @description Why the last run started nothing */
            lastError: string | null;
            /** @description When it was stopped because two processes were lost; it runs again when saved with `enabled` */
            quarantinedAt: string | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
        };
        ScheduleList: {
            items: components["schemas"]["Schedule"][];
        };
        SealedValue: {
            /**
             * Format: uuid
             * @description The id for specs
             */
            id: string;
            label: string;
            deviceId: string | null;
            jobId: string | null;
            /** @description The backup policy whose copy of a passphrase it is */
            policyId: string | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
            /** Format: date-time */
            expiresAt: string;
        };
        SealedValuePage: {
            items: components["schemas"]["SealedValue"][];
            next: string | null;
        };
        SecondFactorCode: {
            /**
             * @description Six digits of the authenticator, or a recovery code; each works once
             * @example 123456
             */
            code: string;
        };
        SecondFactorEnrolment: {
            /** @description In base32, to type in; shown only now */
            secret: string;
            /** @description otpauth://…, to show as a QR code */
            uri: string;
        };
        SecondFactorShown: {
            /** Format: date-time */
            secondFactorAt: string;
        };
        SecretKeys: {
            /** @description The name of the root key that a rotation wraps with; not the key itself */
            targetRootKey: string;
            keys: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                purpose: "seal" | "fingerprint";
                /** @description Whether new values are sealed with it */
                active: boolean;
                rootKeyId: string;
                /** Format: date-time */
                createdAt: string;
                /** @description Stored values that are sealed with it */
                values: number;
            }[];
            /** @description Processes that have keys, and those that seal with the active one */
            holders: {
                live: number;
                ready: number;
            };
            /** @description The latest one */
            rotation: components["schemas"]["KeyRotation"] | null;
        };
        Self: {
            subject: string;
            name: string;
            /**
             * Format: uuid
             * @description The person, or the one in whose name the key acts
             */
            operatorId: string;
            roles: {
                role: string;
                selector: string | null;
            }[];
            hasPassword: boolean;
            hasSecondFactor: boolean;
            /** @description Permissions held for at least one device; GET /v1/rights/explain says more */
            permissions: string[];
            /**
             * @description The devices of each permission that is not held for all devices, as a selector. Null when the text names devices and you do not see all devices
             * @example {
             *       "device.manage": "site:vilnius/*"
             *     }
             */
            selectors: {
                [key: string]: string | null;
            };
        };
        Session: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            operatorId: string;
            operatorName: string;
            /** @enum {string} */
            way: "password" | "oidc";
            /** Format: date-time */
            madeAt: string;
            /** Format: date-time */
            endsAt: string;
            secondFactorAt: string | null;
            address: string | null;
            userAgent: string | null;
            /**
             * Format: date-time
             * @description To the minute
             */
            lastSeenAt: string;
            lastSeenAddress: string | null;
            /** @description Whether it is the session of this request */
            current: boolean;
        };
        SessionList: {
            items: components["schemas"]["Session"][];
        };
        SetOperatorRoles: {
            roles: components["schemas"]["RoleAssignment"][];
        };
        SettingList: {
            items: {
                /** @example STATUS_EVERY_SECONDS */
                name: string;
                /** @description null: not set, or hidden. An address is without its user, password and query */
                value: string | null;
                /** @description Whether it is set to a secret, which no answer shows */
                hidden: boolean;
                /** @enum {string} */
                source: "default" | "set";
                description: string;
            }[];
        };
        Setup: {
            /** @description The token printed at the start */
            token: string;
            /**
             * @description The name of the first administrator
             * @example Ada
             */
            operatorName: string;
            /** @description For sign-in; absent: only the API key works */
            password?: string;
        };
        SetupDone: {
            operator: components["schemas"]["Operator"];
            apiKey: components["schemas"]["IssuedApiKey"];
        };
        SignedIn: {
            /** Format: uuid */
            operatorId: string;
            operatorName: string;
            /**
             * Format: date-time
             * @description The session ends then at the latest, or earlier when it is idle
             */
            endsAt: string;
        };
        StartDiscovery: {
            /** @description At most 4096 addresses in all, as in a /20 */
            networks: (string)[];
            /**
             * @description In this order, until a device answers. Port 80 is asked by http, every other one by https
             * @default [
             *       443,
             *       80
             *     ]
             */
            ports?: number[];
            /** @description Sent once to each new device, in this order until one is accepted, and never over http. Absent: no login. Whatever answers like a device gets them, so use them only in networks that you trust */
            credentials?: {
                /** @example admin */
                username: string;
                /**
                 * @description Stored sealed; no answer ever shows it
                 * @example correct-Horse-7
                 */
                password: string;
            }[];
            /**
             * @default {
             *       "atOnce": 32,
             *       "perSecond": 50
             *     }
             */
            pace?: {
                /**
                 * @description Addresses that are asked at the same time
                 * @default 32
                 */
                atOnce?: number;
                /**
                 * @description Addresses whose turn begins in a second
                 * @default 50
                 */
                perSecond?: number;
            };
        };
        StartFanOut: {
            /**
             * @description Which devices; see docs/reference/selectors.md
             * @example tag:pump
             */
            selector: string;
            /**
             * @description The call
             * @example {
             *       "method": "GET",
             *       "path": "/api/system/device/status"
             *     }
             */
            request?: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "DELETE";
                /**
                 * @description As the device knows it, with its query
                 * @example /api/system/device/status
                 */
                path: string;
                /** @description The body, where there is one */
                json?: unknown;
            };
            /** @description Or several, sent to each device as one bulk request */
            requests?: {
                /** @enum {string} */
                method: "GET" | "POST" | "PUT" | "DELETE";
                /**
                 * @description As the device knows it, with its query
                 * @example /api/system/device/status
                 */
                path: string;
                /** @description The body, where there is one */
                json?: unknown;
            }[];
            /**
             * @default {
             *       "concurrency": 128,
             *       "perSite": 32,
             *       "timeoutMs": 15000,
             *       "bodies": "first"
             *     }
             */
            policy?: {
                /**
                 * @description Devices called at once
                 * @default 128
                 */
                concurrency?: number;
                /**
                 * @description Devices of one site called at once
                 * @default 32
                 */
                perSite?: number;
                /**
                 * @description Longest wait for one device, login included
                 * @default 15000
                 */
                timeoutMs?: number;
                /** @description When to start no more calls; calls in progress still finish */
                stopAfter?: {
                    /** @description This number of devices that did not succeed */
                    failures?: number;
                    /** @description Or this percentage of the devices that ended */
                    percent?: number;
                    /**
                     * @description The percentage applies from this number of ended devices
                     * @default 10
                     */
                    minimum?: number;
                };
                /**
                 * @description Which answers are sent with their body: each different one once, all, or none
                 * @default first
                 * @enum {string}
                 */
                bodies?: "first" | "all" | "none";
            };
            /**
             * @description `digest` of a preview: where the selector names other devices by now, nothing happens
             * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
             */
            expectedDigest?: string;
        };
        StartJob: {
            /**
             * @description The kind of the job
             * @example backup
             */
            kind: string;
            /**
             * @description Its parameters; each kind has its own fields
             * @default {}
             */
            spec?: {
                [key: string]: unknown;
            };
        } & ({
            /** @enum {unknown} */
            kind: "backup";
            spec?: components["schemas"]["BackupJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "call";
            spec: components["schemas"]["CallJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "certificates";
            spec: components["schemas"]["CertificatesJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "configure";
            spec: components["schemas"]["ConfigureJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "credentials";
            spec?: components["schemas"]["CredentialsJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "firmware";
            spec: components["schemas"]["FirmwareJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "reboot";
            spec?: components["schemas"]["RebootJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "restore";
            spec: components["schemas"]["RestoreJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "upload";
            spec: components["schemas"]["UploadJobSpec"];
        } | {
            /** @enum {unknown} */
            kind: "users";
            spec: components["schemas"]["UsersJobSpec"];
        });
        StoredFanOut: {
            /**
             * Format: uuid
             * @description Also the operation of its writes in the audit
             */
            id: string;
            /**
             * @description `interrupted`: the gateway stopped or was lost; what it recorded remains
             * @enum {string}
             */
            state: "running" | "ended" | "interrupted";
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump
             */
            selector: string | null;
            /** @description Without bodies */
            requests: {
                /** @example GET */
                method: string;
                /** @example /api/system/device/status */
                path: string;
            }[];
            writes: boolean;
            /** @description The fan-out whose devices this one called again */
            retryOf: string | null;
            /** @description Why calls stopped before all devices were called */
            stopped: string | null;
            /** @example Ada */
            startedBy: string;
            /** Format: date-time */
            startedAt: string;
            endedAt: string | null;
            /** @description Whose outcomes you may read */
            devices: number;
            /** @description Further devices that you see, whose answers to these calls you may not read */
            forbidden: number;
            counts: {
                [key: string]: number;
            };
            /** @description Devices without an outcome so far */
            waiting: number;
            /** @description Equal answers together, the largest group first; at most 50 */
            groups: {
                /** @enum {string} */
                outcome: "succeeded" | "failed" | "skipped" | "unreachable" | "unknown";
                /** @description An error code, or why it was skipped; null: it succeeded */
                reason: string | null;
                status: number | null;
                /**
                 * @description SHA-256 of the answer without its secrets; null: none, or it cannot be searched for secrets
                 * @example 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08
                 */
                digest: string | null;
                /** @description Size of the answer without its secrets */
                bytes: number | null;
                /** @description Devices with this outcome and this answer */
                devices: number;
                /** @description One of them */
                sample: {
                    /** Format: uuid */
                    id: string;
                    name: string;
                };
            }[];
            /** @description Groups that are left out here */
            moreGroups: number;
        };
        StoredFanOutItem: {
            /**
             * Format: uuid
             * @description Also the operation of its writes in the audit
             */
            id: string;
            /**
             * @description `interrupted`: the gateway stopped or was lost; what it recorded remains
             * @enum {string}
             */
            state: "running" | "ended" | "interrupted";
            /**
             * @description null: it names devices, and you may see only some devices
             * @example tag:pump
             */
            selector: string | null;
            /** @description Without bodies */
            requests: {
                /** @example GET */
                method: string;
                /** @example /api/system/device/status */
                path: string;
            }[];
            writes: boolean;
            /** @description The fan-out whose devices this one called again */
            retryOf: string | null;
            /** @description Why calls stopped before all devices were called */
            stopped: string | null;
            /** @example Ada */
            startedBy: string;
            /** Format: date-time */
            startedAt: string;
            endedAt: string | null;
            /** @description null: you may see only some devices; read the fan-out for those */
            devices: number | null;
            /** @description null for the same reason */
            counts: {
                [key: string]: number;
            } | null;
        };
        System: {
            /**
             * @description Of the process that answers
             * @example 1.0.0
             */
            version: string;
            processes: {
                /** Format: uuid */
                id: string;
                /** @enum {string} */
                role: "all" | "api" | "worker";
                /** @example gateway-1 */
                host: string;
                /** @example 1.0.0 */
                version: string;
                /** @example v22.20.0 */
                node: string;
                /** @description Whether it wrote that it is alive within 45 seconds; a dead one is listed for a day */
                alive: boolean;
                /** Format: date-time */
                startedAt: string;
                /** Format: date-time */
                aliveAt: string;
                /**
                 * @description Its readiness checks: database, queue, artifacts
                 * @example {
                 *       "process": "ok",
                 *       "database": "ok",
                 *       "queue": "ok"
                 *     }
                 */
                checks: {
                    [key: string]: "ok" | "unavailable";
                };
                /** @description Its periodic tasks, each with its last pass */
                sweepers: {
                    /** @example rollouts */
                    name: string;
                    /** Format: date-time */
                    at: string;
                    /** @enum {string} */
                    outcome: "done" | "failed";
                }[];
            }[];
            jobs: {
                /** @description Jobs that could run now and wait for a worker */
                due: number;
                /** @description How long the oldest of them has waited; 0: there is none */
                oldestDueMs: number;
                running: number;
            };
            database: {
                /** @example 18.4 */
                version: string;
                embedded: boolean;
            };
            /**
             * @description Where jobs are queued
             * @enum {string}
             */
            queue: "postgres" | "redis";
            /** @description The latest checkpoint of the audit; null: there is none yet */
            audit: {
                size: number;
                /** Format: date-time */
                signedAt: string;
                ageMs: number;
            } | null;
            warnings: {
                /** @example no_worker */
                code: string;
                /** Format: date-time */
                since: string;
                /** @description What it means, and what to do */
                text: string;
            }[];
        };
        TagsChanged: {
            dryRun: boolean;
            matched: number;
            changed: number;
            /** @description How many of the matching devices you may not change */
            forbidden: number;
            /** @description How many others are locked, and so stay as they are */
            locked: number;
        };
        TargetCounts: {
            waiting: number;
            offline: number;
            queued: number;
            running: number;
            succeeded: number;
            failed: number;
            unknown: number;
            skipped: number;
            cancelled: number;
        };
        UploadArtifact: {
            /** @enum {string} */
            kind: "firmware" | "certificate" | "configuration" | "file";
            /** @description File name; absent: that of the form, or `artifact` */
            name?: string;
            /** @description The digest that the bytes must have */
            sha256?: string;
            /**
             * Format: base64
             * @description Ed25519 over the 32 bytes of the digest, in base64; see docs/howto/sign-artifacts.md
             */
            signature?: string;
            /** @description Firmware: the version of the image */
            version?: string;
            /**
             * @description Firmware: its models, separated by commas, with * for any text
             * @default
             */
            models?: string;
            /**
             * @description Firmware: its hardware versions
             * @default
             */
            hardware?: string;
            /** @description Firmware: the oldest version from which a device may install it */
            minimumVersion?: string;
            /**
             * Format: binary
             * @description The last part
             * @example The bytes of the file
             */
            file: string;
        };
        UploadJobSpec: {
            /** Format: uuid */
            artifactId: string;
            /** @description The approved digest; another one is refused */
            sha256?: string;
            /**
             * @description Upload endpoint of the service, such as /api/certificates/root_ca/config
             * @example /api/certificates/root_ca/config
             */
            path: string;
            /** @description Its name on the device; absent: the name of the artifact */
            fileName?: string;
            /**
             * @description More fields of the form
             * @default {}
             */
            fields?: {
                [key: string]: string;
            };
            into?: {
                /** @description The configuration item: /api/<service>/config/{id}, or …/global */
                path: string;
                /** @description Its option for the path of the file */
                option: string;
            };
        };
        UsersJobSpec: {
            /**
             * @default []
             * @example [
             *       {
             *         "username": "ada",
             *         "group": "admin"
             *       }
             *     ]
             */
            accounts?: {
                username: string;
                /**
                 * @default present
                 * @enum {string}
                 */
                state?: "present" | "absent";
                /** @description Absent: unchanged; a new account gets the group `user` */
                group?: string;
                /**
                 * Format: uuid
                 * @description Id of a sealed value with the password. Absent: the gateway generates one
                 */
                sealedValue?: string;
                /**
                 * @description Whether an existing account gets a new password
                 * @default false
                 */
                renewPassword?: boolean;
            }[];
            /** @default [] */
            groups?: {
                id: string;
                /**
                 * @default present
                 * @enum {string}
                 */
                state?: "present" | "absent";
                /** @description Patterns of paths */
                api?: {
                    [key: string]: ("read" | "write")[];
                };
                /** @description Names of permissions, for devices that have them */
                read?: string[];
                write?: string[];
                /** @enum {string} */
                target_read?: "allow" | "deny";
                /** @enum {string} */
                target_write?: "allow" | "deny";
            }[];
        };
        WavePolicy: {
            name?: string;
            take: components["schemas"]["WaveTake"];
            /**
             * @description `manual`: starts when a person promotes it
             * @default auto
             * @enum {string}
             */
            gate: "auto" | "manual";
            /**
             * @description Share of its devices that must have succeeded to continue; at least one device
             * @default 95
             */
            successPercent: number;
            /**
             * @description How long the gateway waits after the wave, before its checks and the next wave
             * @default 0
             */
            soakMinutes: number;
        };
        WavePolicyInput: {
            name?: string;
            take: components["schemas"]["WaveTake"];
            /**
             * @description `manual`: starts when a person promotes it
             * @default auto
             * @enum {string}
             */
            gate?: "auto" | "manual";
            /**
             * @description Share of its devices that must have succeeded to continue; at least one device
             * @default 95
             */
            successPercent?: number;
            /**
             * @description How long the gateway waits after the wave, before its checks and the next wave
             * @default 0
             */
            soakMinutes?: number;
        };
        WaveTake: {
            count: number;
        } | {
            percent: number;
        } | {
            tag: string;
        } | {
            site: string;
        } | "rest";
        Webhook: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Without user, password and query, which often contain a token; sent back in this form, the address does not change */
            url: string;
            /** @description Whether it has a user, a password or a query */
            urlHidesSome: boolean;
            types: string[];
            enabled: boolean;
            /** @description Its author was disabled or their key revoked: it sends nothing until an operator saves it again */
            orphaned: boolean;
            /** @description When it was stopped because two processes were lost; it sends again when saved with `enabled` */
            quarantinedAt: string | null;
            createdByName: string;
            /** Format: date-time */
            createdAt: string;
        };
        WebhookDelivery: {
            /** Format: uuid */
            id: string;
            type: string;
            /** @enum {string} */
            state: "waiting" | "delivered" | "failed";
            attempts: number;
            /** Format: date-time */
            dueAt: string;
            /** @description The last answer of the receiver */
            status: number | null;
            error: string | null;
            ms: number | null;
            /** Format: date-time */
            createdAt: string;
            endedAt: string | null;
            /** @description The CloudEvent that is sent */
            message: {
                [key: string]: unknown;
            };
        };
        WebhookDeliveryPage: {
            items: components["schemas"]["WebhookDelivery"][];
            next: string | null;
        };
        WebhookList: {
            items: components["schemas"]["Webhook"][];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    metrics_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Metrics in the text format of Prometheus */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example # TYPE fleetgate_jobs_due gauge
                     *     fleetgate_jobs_due 0
                     */
                    "text/plain": string;
                };
            };
        };
    };
    secrets_status: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows the keys that seal stored secrets, and the progress of their rotation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "targetRootKey": "targetRootKey",
                     *       "keys": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "purpose": "seal",
                     *           "active": true,
                     *           "rootKeyId": "rootKeyId",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "values": 1
                     *         }
                     *       ],
                     *       "holders": {
                     *         "live": 1,
                     *         "ready": 1
                     *       },
                     *       "rotation": {
                     *         "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "what": "root_key",
                     *         "phase": "announced",
                     *         "done": 1,
                     *         "unreadable": [
                     *           {
                     *             "table": "table",
                     *             "rowId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"
                     *           }
                     *         ],
                     *         "startedBy": "startedBy",
                     *         "startedByName": "startedByName",
                     *         "startedAt": "2026-06-01T12:00:00.000Z",
                     *         "switchedAt": "2026-06-01T12:00:00.000Z",
                     *         "endedAt": "2026-06-01T12:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SecretKeys"];
                };
            };
        };
    };
    secrets_start: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "what": "root_key"
                 *     }
                 */
                "application/json": components["schemas"]["RotateKeys"];
            };
        };
        responses: {
            /** @description Rotates the root key or the data key of stored secrets, without an interruption */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "what": "root_key",
                     *       "phase": "announced",
                     *       "done": 1,
                     *       "unreadable": [
                     *         {
                     *           "table": "table",
                     *           "rowId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"
                     *         }
                     *       ],
                     *       "startedBy": "startedBy",
                     *       "startedByName": "startedByName",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "switchedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["KeyRotation"];
                };
            };
        };
    };
    health_live: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the process is alive */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "version": "version"
                     *     }
                     */
                    "application/json": components["schemas"]["Liveness"];
                };
            };
        };
    };
    health_ready: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Whether the process can do its work now (503 when not) */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "status": "ok",
                     *       "checks": {}
                     *     }
                     */
                    "application/json": components["schemas"]["Readiness"];
                };
            };
        };
    };
    auditlog_getLog: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows the name and the public key of the audit log, and its last checkpoint */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "origin": "origin",
                     *       "key": "key",
                     *       "size": 1,
                     *       "checkpoint": "checkpoint"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLog"];
                };
            };
        };
    };
    auditlog_consistency: {
        parameters: {
            query: {
                /** @description Size of an earlier checkpoint */
                from: number;
                /** @description Size of a later one; absent: of the last */
                to?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Proves that a later checkpoint of the audit log extends an earlier one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "from": 1,
                     *       "to": 1,
                     *       "checkpoint": "checkpoint",
                     *       "proof": [
                     *         "proof"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AuditConsistency"];
                };
            };
        };
    };
    auditlog_verify: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /**
                     * @description Checkpoints from a witness: they show a roll-back of the complete database
                     * @default []
                     */
                    witnessed?: string[];
                    /** @description The expected verifier key, from a source outside the gateway */
                    key?: string;
                };
            };
        };
        responses: {
            /** @description Verifies the complete audit, row by row, and names what is wrong */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"type":"finding","kind":"row_altered","what":"what","sequence":1,"through":1,"row":{"kind":"entry","id":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"}} */
                    "application/x-ndjson": string;
                };
            };
        };
    };
    auditlog_export: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": {
                    /** @description Only entries of this actor, such as `key:…` */
                    actor?: string;
                    /** @description Only this action, such as `device.register`; `device.*` matches all actions of a noun */
                    action?: string;
                    /**
                     * Format: uuid
                     * @description Only entries of this device
                     */
                    deviceId?: string;
                    /** @description Only entries of the devices that a selector names now */
                    selector?: string;
                    /**
                     * Format: uuid
                     * @description Only entries of this job
                     */
                    jobId?: string;
                    /**
                     * Format: uuid
                     * @description Only entries of this fan-out or job
                     */
                    operation?: string;
                    /**
                     * Format: date-time
                     * @description Not before this instant
                     */
                    since?: string;
                    /**
                     * Format: date-time
                     * @description Before this instant
                     */
                    until?: string;
                };
            };
        };
        responses: {
            /** @description Exports entries with a proof that public tools can check */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"proof":"fleetgate-audit-export/1","origin":"origin","key":"key","checkpoint":"checkpoint"} */
                    "application/x-ndjson": string;
                };
            };
        };
    };
    auditlog_stream: {
        parameters: {
            query?: {
                /** @description Only entries of this actor, such as `key:…` */
                actor?: string;
                /** @description Only this action, such as `device.register`; `device.*` matches all actions of a noun */
                action?: string;
                /** @description Only entries of this device */
                deviceId?: string;
                /** @description Only entries of the devices that a selector names now */
                selector?: string;
                /** @description Only entries of this fan-out or job */
                operation?: string;
                /** @description Start after this place of the log, as with Last-Event-ID; absent: with the next entry */
                after?: number;
            };
            header?: {
                /**
                 * @description The place in the log after which to continue
                 * @example 41
                 */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Streams new entries of the audit */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example data: {"type":"entry","v":1,"id":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4","at":"2026-06-01T12:00:00.000Z","action":"action","actor":"actor","subject":"subject","facts":{}} */
                    "text/event-stream": string;
                };
            };
        };
    };
    audit_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Only entries of this actor, such as `key:…` */
                actor?: string;
                /** @description Only this action, such as `device.register`; `device.*` matches all actions of a noun */
                action?: string;
                /** @description Only entries of this device */
                deviceId?: string;
                /** @description Only entries of the devices that a selector names now */
                selector?: string;
                /** @description Only entries of this job */
                jobId?: string;
                /** @description Only entries of this fan-out or job */
                operation?: string;
                /** @description Only entries of this request; `since` makes the search faster */
                requestId?: string;
                /** @description `open`: not closed yet */
                outcome?: "succeeded" | "failed" | "refused" | "unknown" | "open";
                /** @description Not before this instant */
                since?: string;
                /** @description Before this instant */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists audit entries, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "sequence": 1,
                     *           "openedAt": "2026-06-01T12:00:00.000Z",
                     *           "closedAt": "2026-06-01T12:00:00.000Z",
                     *           "action": "action",
                     *           "outcome": "succeeded",
                     *           "actor": "actor",
                     *           "actorName": "actorName",
                     *           "requestId": "requestId",
                     *           "address": "address",
                     *           "reason": "reason",
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operationId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "subject": "subject",
                     *           "facts": {},
                     *           "result": {}
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["AuditPage"];
                };
            };
        };
    };
    audit_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                entryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads an audit entry */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "sequence": 1,
                     *       "openedAt": "2026-06-01T12:00:00.000Z",
                     *       "closedAt": "2026-06-01T12:00:00.000Z",
                     *       "action": "action",
                     *       "outcome": "succeeded",
                     *       "actor": "actor",
                     *       "actorName": "actorName",
                     *       "requestId": "requestId",
                     *       "address": "address",
                     *       "reason": "reason",
                     *       "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "operationId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "subject": "subject",
                     *       "facts": {},
                     *       "result": {}
                     *     }
                     */
                    "application/json": components["schemas"]["AuditEntry"];
                };
            };
        };
    };
    auth_setup: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "token",
                 *       "operatorName": "Ada"
                 *     }
                 */
                "application/json": components["schemas"]["Setup"];
            };
        };
        responses: {
            /** @description Creates the first administrator, with the token printed at the start */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "operator": {
                     *         "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "name": "Ada",
                     *         "roles": [
                     *           {
                     *             "role": "role",
                     *             "selector": "selector"
                     *           }
                     *         ],
                     *         "createdAt": "2026-06-01T12:00:00.000Z",
                     *         "disabledAt": "2026-06-01T12:00:00.000Z",
                     *         "hasPassword": true,
                     *         "hasSecondFactor": true,
                     *         "providers": [
                     *           "providers"
                     *         ]
                     *       },
                     *       "apiKey": {
                     *         "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "name": "nightly report",
                     *         "prefix": "fg_8JqL",
                     *         "createdAt": "2026-06-01T12:00:00.000Z",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z",
                     *         "revokedAt": "2026-06-01T12:00:00.000Z",
                     *         "scope": {},
                     *         "allowedAddresses": [
                     *           "allowedAddresses"
                     *         ],
                     *         "callsPerMinute": 1,
                     *         "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *         "lastUsedAddress": "lastUsedAddress",
                     *         "key": "key"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SetupDone"];
                };
            };
        };
    };
    auth_self: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows who you are and what you may do */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "subject": "subject",
                     *       "name": "name",
                     *       "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "roles": [
                     *         {
                     *           "role": "role",
                     *           "selector": "selector"
                     *         }
                     *       ],
                     *       "hasPassword": true,
                     *       "hasSecondFactor": true,
                     *       "permissions": [
                     *         "device.read"
                     *       ],
                     *       "selectors": {
                     *         "device.manage": "site:vilnius/*"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Self"];
                };
            };
        };
    };
    auth_listOperators: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists operators */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "Ada",
                     *           "roles": [
                     *             {
                     *               "role": "role",
                     *               "selector": "selector"
                     *             }
                     *           ],
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "disabledAt": "2026-06-01T12:00:00.000Z",
                     *           "hasPassword": true,
                     *           "hasSecondFactor": true,
                     *           "providers": [
                     *             "providers"
                     *           ]
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OperatorList"];
                };
            };
        };
    };
    auth_createOperator: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Ada",
                 *       "role": "field-engineer"
                 *     }
                 */
                "application/json": components["schemas"]["CreateOperator"];
            };
        };
        responses: {
            /** @description Adds an operator */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "Ada",
                     *       "roles": [
                     *         {
                     *           "role": "role",
                     *           "selector": "selector"
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "disabledAt": "2026-06-01T12:00:00.000Z",
                     *       "hasPassword": true,
                     *       "hasSecondFactor": true,
                     *       "providers": [
                     *         "providers"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    roles_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists roles, the built-in ones first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "name",
                     *           "builtIn": true,
                     *           "description": "description",
                     *           "rules": [
                     *             {}
                     *           ],
                     *           "version": 1,
                     *           "updatedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RoleList"];
                };
            };
        };
    };
    roles_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The name of the role */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a role */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "name",
                     *       "builtIn": true,
                     *       "description": "description",
                     *       "rules": [
                     *         {}
                     *       ],
                     *       "version": 1,
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    roles_save: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name of the role */
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "rules": [
                 *         {
                 *           "effect": "allow",
                 *           "permissions": [
                 *             "job.read"
                 *           ]
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SaveRole"];
            };
        };
        responses: {
            /** @description Saves your own role under a name */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "name",
                     *       "builtIn": true,
                     *       "description": "description",
                     *       "rules": [
                     *         {}
                     *       ],
                     *       "version": 1,
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Role"];
                };
            };
        };
    };
    roles_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The name of the role */
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes your own role that no operator has */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    roles_assignments: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the roles that an operator has */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "roles": [
                     *         {
                     *           "role": "role",
                     *           "selector": "selector"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OperatorRoles"];
                };
            };
        };
    };
    roles_assign: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "roles": [
                 *         {
                 *           "role": "field-engineer"
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["SetOperatorRoles"];
            };
        };
        responses: {
            /** @description Gives an operator these roles and no others */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "roles": [
                     *         {
                     *           "role": "role",
                     *           "selector": "selector"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OperatorRoles"];
                };
            };
        };
    };
    keys_listOwn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists your own API keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "nightly report",
                     *           "prefix": "fg_8JqL",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "expiresAt": "2026-06-01T12:00:00.000Z",
                     *           "revokedAt": "2026-06-01T12:00:00.000Z",
                     *           "scope": {},
                     *           "allowedAddresses": [
                     *             "allowedAddresses"
                     *           ],
                     *           "callsPerMinute": 1,
                     *           "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *           "lastUsedAddress": "lastUsedAddress"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    keys_issueOwn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly report"
                 *     }
                 */
                "application/json": components["schemas"]["IssueOwnApiKey"];
            };
        };
        responses: {
            /** @description Issues an API key of your own; the answer is the only place where it is seen */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "nightly report",
                     *       "prefix": "fg_8JqL",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "revokedAt": "2026-06-01T12:00:00.000Z",
                     *       "scope": {},
                     *       "allowedAddresses": [
                     *         "allowedAddresses"
                     *       ],
                     *       "callsPerMinute": 1,
                     *       "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *       "lastUsedAddress": "lastUsedAddress",
                     *       "key": "key"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    keys_rotateOwn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RotateApiKey"];
            };
        };
        responses: {
            /** @description Replaces one of your own keys; the old one works for a limited time */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "nightly report",
                     *       "prefix": "fg_8JqL",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "revokedAt": "2026-06-01T12:00:00.000Z",
                     *       "scope": {},
                     *       "allowedAddresses": [
                     *         "allowedAddresses"
                     *       ],
                     *       "callsPerMinute": 1,
                     *       "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *       "lastUsedAddress": "lastUsedAddress",
                     *       "key": "key"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    keys_revokeOwn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revokes one of your own API keys, everywhere at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    keys_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists API keys, without the keys */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "nightly report",
                     *           "prefix": "fg_8JqL",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "expiresAt": "2026-06-01T12:00:00.000Z",
                     *           "revokedAt": "2026-06-01T12:00:00.000Z",
                     *           "scope": {},
                     *           "allowedAddresses": [
                     *             "allowedAddresses"
                     *           ],
                     *           "callsPerMinute": 1,
                     *           "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *           "lastUsedAddress": "lastUsedAddress"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ApiKeyList"];
                };
            };
        };
    };
    keys_issue: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly report"
                 *     }
                 */
                "application/json": components["schemas"]["IssueApiKey"];
            };
        };
        responses: {
            /** @description Issues an API key; the answer is the only place where it is seen */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "nightly report",
                     *       "prefix": "fg_8JqL",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "revokedAt": "2026-06-01T12:00:00.000Z",
                     *       "scope": {},
                     *       "allowedAddresses": [
                     *         "allowedAddresses"
                     *       ],
                     *       "callsPerMinute": 1,
                     *       "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *       "lastUsedAddress": "lastUsedAddress",
                     *       "key": "key"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    keys_rotate: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RotateApiKey"];
            };
        };
        responses: {
            /** @description Replaces a key; the old one works for a limited time */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "nightly report",
                     *       "prefix": "fg_8JqL",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "revokedAt": "2026-06-01T12:00:00.000Z",
                     *       "scope": {},
                     *       "allowedAddresses": [
                     *         "allowedAddresses"
                     *       ],
                     *       "callsPerMinute": 1,
                     *       "replacesId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastUsedAt": "2026-06-01T12:00:00.000Z",
                     *       "lastUsedAddress": "lastUsedAddress",
                     *       "key": "key"
                     *     }
                     */
                    "application/json": components["schemas"]["IssuedApiKey"];
                };
            };
        };
    };
    keys_revoke: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                keyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Revokes an API key, everywhere at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    accounts_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads an operator */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "Ada",
                     *       "roles": [
                     *         {
                     *           "role": "role",
                     *           "selector": "selector"
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "disabledAt": "2026-06-01T12:00:00.000Z",
                     *       "hasPassword": true,
                     *       "hasSecondFactor": true,
                     *       "providers": [
                     *         "providers"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    accounts_update: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "disabled": true
                 *     }
                 */
                "application/json": components["schemas"]["ChangeOperator"];
            };
        };
        responses: {
            /** @description Renames, disables or enables an operator */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "Ada",
                     *       "roles": [
                     *         {
                     *           "role": "role",
                     *           "selector": "selector"
                     *         }
                     *       ],
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "disabledAt": "2026-06-01T12:00:00.000Z",
                     *       "hasPassword": true,
                     *       "hasSecondFactor": true,
                     *       "providers": [
                     *         "providers"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Operator"];
                };
            };
        };
    };
    accounts_invite: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Creates a token with which the person sets a first or forgotten password, once */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "token": "token",
                     *       "url": "url",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Invitation"];
                };
            };
        };
    };
    accounts_resetSecondFactor: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                operatorId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes the second factor of an operator who has lost it */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signin_login: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "name",
                 *       "password": "password",
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["Login"];
            };
        };
        responses: {
            /** @description Signs a person in: the answer sets the cookie of their session */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "operatorName": "operatorName",
                     *       "endsAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SignedIn"];
                };
            };
        };
    };
    signin_logout: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ends the session of this request */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signin_listOwn: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists your own sessions */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operatorName": "operatorName",
                     *           "way": "password",
                     *           "madeAt": "2026-06-01T12:00:00.000Z",
                     *           "endsAt": "2026-06-01T12:00:00.000Z",
                     *           "secondFactorAt": "2026-06-01T12:00:00.000Z",
                     *           "address": "address",
                     *           "userAgent": "userAgent",
                     *           "lastSeenAt": "2026-06-01T12:00:00.000Z",
                     *           "lastSeenAddress": "lastSeenAddress",
                     *           "current": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    signin_revokeOwn: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ends one of your own sessions, everywhere at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signin_list: {
        parameters: {
            query?: {
                operatorId?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the sessions of all operators, the last 1,000 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operatorId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "operatorName": "operatorName",
                     *           "way": "password",
                     *           "madeAt": "2026-06-01T12:00:00.000Z",
                     *           "endsAt": "2026-06-01T12:00:00.000Z",
                     *           "secondFactorAt": "2026-06-01T12:00:00.000Z",
                     *           "address": "address",
                     *           "userAgent": "userAgent",
                     *           "lastSeenAt": "2026-06-01T12:00:00.000Z",
                     *           "lastSeenAddress": "lastSeenAddress",
                     *           "current": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SessionList"];
                };
            };
        };
    };
    signin_revoke: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                sessionId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ends a session of any operator, everywhere at once */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signin_changePassword: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "currentPassword": "currentPassword",
                 *       "newPassword": "newPassword"
                 *     }
                 */
                "application/json": components["schemas"]["ChangePassword"];
            };
        };
        responses: {
            /** @description Changes your password; all your other sessions end */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    signin_accept: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "token": "token",
                 *       "password": "password"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptInvitation"];
            };
        };
        responses: {
            /** @description Sets a password with an invitation, once; then sign in */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    oidc_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the OpenID providers for sign-in */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "id",
                     *           "name": "name"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["OidcProviderList"];
                };
            };
        };
    };
    oidc_begin: {
        parameters: {
            query?: {
                /** @description Where to go after sign-in */
                returnTo?: string;
            };
            header?: never;
            path: {
                providerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: never;
    };
    oidc_finish: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                providerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Signs in a person who returns from an OpenID provider */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example <!doctype html><meta http-equiv="refresh" content="0;url=/"><title>Signed in</title><a href="/">Continue</a> */
                    "text/html": string;
                };
            };
        };
    };
    secondfactor_begin: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["BeginSecondFactor"];
            };
        };
        responses: {
            /** @description Starts to set up a second factor; it is in force after a first code */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secret": "secret",
                     *       "uri": "uri"
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactorEnrolment"];
                };
            };
        };
    };
    secondfactor_confirm: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Confirms the second factor with a first code, and returns recovery codes */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "recoveryCodes"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    secondfactor_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Removes your second factor */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    secondfactor_renew: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Creates new recovery codes; the old ones stop working */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recoveryCodes": [
                     *         "recoveryCodes"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RecoveryCodes"];
                };
            };
        };
    };
    secondfactor_show: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "code": "123456"
                 *     }
                 */
                "application/json": components["schemas"]["SecondFactorCode"];
            };
        };
        responses: {
            /** @description Shows the second factor in this session, for actions that need a recent one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "secondFactorAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SecondFactorShown"];
                };
            };
        };
    };
    fleet_run: {
        parameters: {
            query?: {
                /** @description Check and count, without changes */
                dryRun?: string;
                /** @description `stop`: one bad line and nothing is imported; `skip`: the good lines are imported */
                onError?: "stop" | "skip";
            };
            header?: {
                /**
                 * @description `respond-async`: answer at once, and continue without the sender
                 * @example respond-async
                 */
                Prefer?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example name,base_url,username,serial,site,tags
                 *     pump-1,https://192.0.2.7,admin,1112223334,vilnius/plant-2,pump north
                 */
                "text/csv": string;
                /** @example {"name":"pump-1","baseUrl":"https://192.0.2.7","mac":"00:1e:42:00:00:01","site":"vilnius/plant-2","tags":["pump"],"note":"Keys at the gate","fields":{"rack":"B7"}} */
                "application/x-ndjson": string;
            };
        };
        responses: {
            /** @description Registers and updates devices from a file */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": true,
                     *       "encoding": "encoding",
                     *       "lines": 1,
                     *       "created": 1,
                     *       "updated": 1,
                     *       "unchanged": 1,
                     *       "failed": 1,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "field": "field",
                     *           "code": "code",
                     *           "detail": "detail"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FleetImport"] | components["schemas"]["ImportOperation"];
                };
            };
            /** @description With `Prefer: respond-async`: it goes on, and `Location` says where to read how far it is */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": true,
                     *       "encoding": "encoding",
                     *       "lines": 1,
                     *       "created": 1,
                     *       "updated": 1,
                     *       "unchanged": 1,
                     *       "failed": 1,
                     *       "errors": [
                     *         {
                     *           "line": 1,
                     *           "field": "field",
                     *           "code": "code",
                     *           "detail": "detail"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["FleetImport"] | components["schemas"]["ImportOperation"];
                };
            };
        };
    };
    fleet_preview: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "tag:pump"
                 *     }
                 */
                "application/json": components["schemas"]["PreviewDevices"];
            };
        };
        responses: {
            /** @description Shows the devices that a bulk action would take, and those that it would leave out */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "matched": 1,
                     *       "count": 1,
                     *       "sample": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name"
                     *         }
                     *       ],
                     *       "excluded": [
                     *         {
                     *           "reason": "reason",
                     *           "count": 1,
                     *           "sample": [
                     *             {
                     *               "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *               "name": "name"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "digest": "digest"
                     *     }
                     */
                    "application/json": components["schemas"]["DevicesPreview"];
                };
            };
        };
    };
    fleet_remove: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The approval of a second person, where one is asked for
                 * @example 0199b1d2-7a3c-7c51-8f7e-2f1f4c9b7a10
                 */
                "Approval-Id"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "tag:pump",
                 *       "dryRun": true
                 *     }
                 */
                "application/json": components["schemas"]["RemoveDevices"];
            };
        };
        responses: {
            /** @description Removes all devices of a selector, with their credentials and ended jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": true,
                     *       "matched": 1,
                     *       "digest": "digest",
                     *       "removed": 1
                     *     }
                     */
                    "application/json": components["schemas"]["DevicesRemoved"];
                };
            };
        };
    };
    fleet_export: {
        parameters: {
            query?: {
                format?: "csv" | "ndjson";
                /** @description Which devices; see docs/reference/selectors.md */
                selector?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Exports the devices of a selector as a file that an import accepts, without passwords */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example name,base_url,username,serial,site,tags
                     *     pump-1,https://192.0.2.7,admin,1112223334,vilnius/plant-2,pump north
                     */
                    "text/csv": string;
                    /** @example {"name":"pump-1","baseUrl":"https://192.0.2.7","site":"vilnius/plant-2","tags":["tags"]} */
                    "application/x-ndjson": string;
                };
            };
        };
    };
    fleet_changeTags: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "selector",
                 *       "add": [
                 *         "pump"
                 *       ],
                 *       "remove": [
                 *         "pump"
                 *       ],
                 *       "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *     }
                 */
                "application/json": components["schemas"]["ChangeTags"];
            };
        };
        responses: {
            /** @description Adds and removes tags of all devices of a selector */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "dryRun": true,
                     *       "matched": 1,
                     *       "changed": 1,
                     *       "forbidden": 1,
                     *       "locked": 1
                     *     }
                     */
                    "application/json": components["schemas"]["TagsChanged"];
                };
            };
        };
    };
    imports_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads the progress and the result of your import */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "running",
                     *       "dryRun": true,
                     *       "lines": 1,
                     *       "doneLines": 1,
                     *       "result": {
                     *         "dryRun": true,
                     *         "encoding": "encoding",
                     *         "lines": 1,
                     *         "created": 1,
                     *         "updated": 1,
                     *         "unchanged": 1,
                     *         "failed": 1,
                     *         "errors": [
                     *           {
                     *             "line": 1,
                     *             "field": "field",
                     *             "code": "code",
                     *             "detail": "detail"
                     *           }
                     *         ]
                     *       },
                     *       "failure": {
                     *         "code": "code",
                     *         "detail": "detail",
                     *         "errors": [
                     *           {}
                     *         ]
                     *       },
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ImportOperation"];
                };
            };
        };
    };
    imports_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                importId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancels your running import; it changes nothing */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "running",
                     *       "dryRun": true,
                     *       "lines": 1,
                     *       "doneLines": 1,
                     *       "result": {
                     *         "dryRun": true,
                     *         "encoding": "encoding",
                     *         "lines": 1,
                     *         "created": 1,
                     *         "updated": 1,
                     *         "unchanged": 1,
                     *         "failed": 1,
                     *         "errors": [
                     *           {
                     *             "line": 1,
                     *             "field": "field",
                     *             "code": "code",
                     *             "detail": "detail"
                     *           }
                     *         ]
                     *       },
                     *       "failure": {
                     *         "code": "code",
                     *         "detail": "detail",
                     *         "errors": [
                     *           {}
                     *         ]
                     *       },
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ImportOperation"];
                };
            };
        };
    };
    devices_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Rows to leave out first, for a screen that jumps; a cursor is faster for the next page */
                offset?: number;
                /** @description Only devices that this selector names, such as `tag:pump & firmware<7.14`; see docs/reference/selectors.md */
                selector?: string;
                /** @description Only devices with this tag */
                tag?: string;
                /** @description Only devices of this site; `vilnius/*` matches all below it */
                site?: string;
                state?: "new" | "online" | "offline" | "credentials_refused" | "trust_changed";
                /** @description Devices with each of these words in name, serial number, MAC, model, site, tags or note, in any case */
                q?: string;
                /** @description The order; with `-` the opposite one. `firmware` is in the order of its text */
                sort?: "createdAt" | "-createdAt" | "name" | "-name" | "site" | "-site" | "state" | "-state" | "model" | "-model" | "firmware" | "-firmware" | "seenAt" | "-seenAt" | "updatedAt" | "-updatedAt";
                /** @description Also count all devices of the list; `estimate` is faster for large fleets */
                count?: "exact" | "estimate";
                /** @description Names of fields, separated by commas: items have only these and `id` */
                fields?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists devices, in the order of their registration unless `sort` names another one */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "baseUrl": "https://192.0.2.7",
                     *           "serial": "1112223334",
                     *           "mac": "00:1e:42:00:00:01",
                     *           "model": "RUTX50",
                     *           "firmware": "7.16.3",
                     *           "networkOperator": "Example Mobile",
                     *           "site": "vilnius/plant-2",
                     *           "tags": [
                     *             "tags"
                     *           ],
                     *           "note": "Keys at the gate",
                     *           "fields": {
                     *             "rack": "B7"
                     *           },
                     *           "formerSerials": [
                     *             "1112223333"
                     *           ],
                     *           "timeZone": "Europe/Vilnius",
                     *           "profile": "unknown",
                     *           "apiVersion": "1.8.3",
                     *           "trust": {
                     *             "mode": "pin",
                     *             "pin": "pin",
                     *             "offeredPin": "offeredPin",
                     *             "expiresAt": "2026-06-01T12:00:00.000Z"
                     *           },
                     *           "sessions": 1,
                     *           "credentials": {
                     *             "username": "username",
                     *             "failedLogins": 1,
                     *             "changedAt": "2026-06-01T12:00:00.000Z"
                     *           },
                     *           "readCredentials": {
                     *             "username": "username",
                     *             "failedLogins": 1,
                     *             "changedAt": "2026-06-01T12:00:00.000Z"
                     *           },
                     *           "state": "new",
                     *           "stateReason": "stateReason",
                     *           "seenAt": "2026-06-01T12:00:00.000Z",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "updatedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["DevicePage"];
                };
            };
        };
    };
    devices_register: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "pump-1",
                 *       "baseUrl": "https://192.0.2.7",
                 *       "mac": "00:1e:42:00:00:01",
                 *       "site": "vilnius/plant-2",
                 *       "tags": [
                 *         "pump"
                 *       ],
                 *       "note": "Keys at the gate",
                 *       "fields": {
                 *         "rack": "B7"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["RegisterDevice"];
            };
        };
        responses: {
            /** @description Registers a device */
            201: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    devices_summary: {
        parameters: {
            query?: {
                /** @description Only devices that this selector names, such as `tag:pump & firmware<7.14`; see docs/reference/selectors.md */
                selector?: string;
                /** @description Devices with each of these words in name, serial number, MAC, model, site, tags or note, in any case */
                q?: string;
                /** @description Fields, separated by commas, at most ten: state, model, firmware, operator, site, tag, profile, trust, field.<key> */
                by?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Counts devices by the values of some fields */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "devices": 1,
                     *       "groups": [
                     *         {
                     *           "by": "state",
                     *           "values": [
                     *             {
                     *               "value": "value",
                     *               "devices": 1
                     *             }
                     *           ],
                     *           "others": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceSummary"];
                };
            };
        };
    };
    devices_availability: {
        parameters: {
            query?: {
                /** @description How far back */
                hours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows how many devices were online in the last hours */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "points": [
                     *         {
                     *           "at": "2026-06-01T12:00:00.000Z",
                     *           "devices": 1,
                     *           "online": 1
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceAvailability"];
                };
            };
        };
    };
    devices_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a device of the registry */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    devices_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a device from the registry, with its credentials and ended jobs */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    devices_change: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "pump-1",
                 *       "site": "vilnius/plant-2",
                 *       "tags": [
                 *         "pump"
                 *       ],
                 *       "note": "Keys at the gate",
                 *       "fields": {
                 *         "rack": "B7"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChangeDevice"];
            };
        };
        responses: {
            /** @description Changes a device in the registry */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    devices_history: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
            };
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists observations about a device, the newest first: states, firmware, identity */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "at": "2026-06-01T12:00:00.000Z",
                     *           "field": "state",
                     *           "before": "before",
                     *           "after": "after"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceHistory"];
                };
            };
        };
    };
    devices_replace: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The ETag that the device must still have
                 * @example "7"
                 */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mac": "00:1e:42:00:00:01",
                 *       "baseUrl": "https://192.0.2.8"
                 *     }
                 */
                "application/json": components["schemas"]["ReplaceDevice"];
            };
        };
        responses: {
            /** @description Puts new hardware in the place of a device */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    devices_setCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "admin",
                 *       "password": "correct-Horse-7"
                 *     }
                 */
                "application/json": {
                    /** @example admin */
                    username: string;
                    /**
                     * @description Stored sealed; no answer ever shows it
                     * @example correct-Horse-7
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Sets the login that the gateway uses on the device */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    devices_setReadCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "username": "admin",
                 *       "password": "correct-Horse-7"
                 *     }
                 */
                "application/json": {
                    /** @example admin */
                    username: string;
                    /**
                     * @description Stored sealed; no answer ever shows it
                     * @example correct-Horse-7
                     */
                    password: string;
                };
            };
        };
        responses: {
            /** @description Sets a second login on the device, which the gateway uses for calls that only read */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    devices_removeReadCredentials: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes the login for reads; reads use the first login again */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    devices_setTrust: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "mode": "pin",
                 *       "pin": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU="
                 *     }
                 */
                "application/json": {
                    /** @enum {string} */
                    mode: "pin";
                    /**
                     * @description SHA-256 of the public key of the certificate (SPKI), as `sha256/…`
                     * @example sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=
                     */
                    pin?: string;
                } | {
                    /** @enum {string} */
                    mode: "ca";
                    /** @description Certificates in PEM that may sign the certificate of the device */
                    ca: string;
                } | {
                    /** @enum {string} */
                    mode: "insecure";
                    /**
                     * Format: date-time
                     * @description At most 30 days ahead
                     */
                    expiresAt: string;
                };
            };
        };
        responses: {
            /** @description Sets how the gateway recognises the device, or accepts the key that it offers now */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "baseUrl": "https://192.0.2.7",
                     *       "serial": "1112223334",
                     *       "mac": "00:1e:42:00:00:01",
                     *       "model": "RUTX50",
                     *       "firmware": "7.16.3",
                     *       "networkOperator": "Example Mobile",
                     *       "site": "vilnius/plant-2",
                     *       "tags": [
                     *         "tags"
                     *       ],
                     *       "note": "Keys at the gate",
                     *       "fields": {
                     *         "rack": "B7"
                     *       },
                     *       "formerSerials": [
                     *         "1112223333"
                     *       ],
                     *       "timeZone": "Europe/Vilnius",
                     *       "profile": "unknown",
                     *       "apiVersion": "1.8.3",
                     *       "trust": {
                     *         "mode": "pin",
                     *         "pin": "pin",
                     *         "offeredPin": "offeredPin",
                     *         "expiresAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "sessions": 1,
                     *       "credentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "readCredentials": {
                     *         "username": "username",
                     *         "failedLogins": 1,
                     *         "changedAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "state": "new",
                     *       "stateReason": "stateReason",
                     *       "seenAt": "2026-06-01T12:00:00.000Z",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Device"];
                };
            };
        };
    };
    savedselectors_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists saved selectors */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "name",
                     *           "selector": "selector",
                     *           "description": "description",
                     *           "updatedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSelectorList"];
                };
            };
        };
    };
    savedselectors_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a saved selector */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "name",
                     *       "selector": "selector",
                     *       "description": "description",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSelector"];
                };
            };
        };
    };
    savedselectors_save: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "selector"
                 *     }
                 */
                "application/json": components["schemas"]["SaveSelector"];
            };
        };
        responses: {
            /** @description Saves a selector under a name; @name then means it in any selector */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "name",
                     *       "selector": "selector",
                     *       "description": "description",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SavedSelector"];
                };
            };
        };
    };
    savedselectors_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a saved selector; selectors that name it are invalid from then on */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    fields_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the custom fields that devices can have */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "key": "rack",
                     *           "type": "text",
                     *           "choices": [
                     *             "choices"
                     *           ],
                     *           "description": "description",
                     *           "updatedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceFieldList"];
                };
            };
        };
    };
    fields_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads the definition of a custom field */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "rack",
                     *       "type": "text",
                     *       "choices": [
                     *         "choices"
                     *       ],
                     *       "description": "description",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceField"];
                };
            };
        };
    };
    fields_define: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "choice",
                 *       "choices": [
                 *         "north",
                 *         "south"
                 *       ],
                 *       "description": "Region"
                 *     }
                 */
                "application/json": components["schemas"]["DefineField"];
            };
        };
        responses: {
            /** @description Defines a custom field of devices, or changes its definition */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": "rack",
                     *       "type": "text",
                     *       "choices": [
                     *         "choices"
                     *       ],
                     *       "description": "description",
                     *       "updatedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceField"];
                };
            };
        };
    };
    fields_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a custom field, with its values on all devices */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    locks_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Also those that have ended */
                all?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the locks in force, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "kind": "operator",
                     *           "target": "target",
                     *           "reason": "reason",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "createdBy": "createdBy",
                     *           "createdByName": "createdByName",
                     *           "endsAt": "2026-06-01T12:00:00.000Z",
                     *           "liftedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["LockPage"];
                };
            };
        };
    };
    locks_lock: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "kind": "operator",
                 *       "target": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                 *       "reason": "reason"
                 *     }
                 */
                "application/json": components["schemas"]["Lock"];
            };
        };
        responses: {
            /** @description Locks a person, a key, a device, a selector, or all writes */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "kind": "operator",
                     *       "target": "target",
                     *       "reason": "reason",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "endsAt": "2026-06-01T12:00:00.000Z",
                     *       "liftedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["LockView"];
                };
            };
        };
    };
    locks_lift: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                lockId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lifts a lock */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    approvals_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                state?: "pending" | "approved" | "rejected" | "used";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists requests that need or had the approval of a second person, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "action": "action",
                     *           "state": "pending",
                     *           "summary": {},
                     *           "digest": "digest",
                     *           "devices": 1,
                     *           "requestedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "requestedByName": "requestedByName",
                     *           "requestedAt": "2026-06-01T12:00:00.000Z",
                     *           "expiresAt": "2026-06-01T12:00:00.000Z",
                     *           "decidedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "decidedByName": "decidedByName",
                     *           "decidedAt": "2026-06-01T12:00:00.000Z",
                     *           "usedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["ApprovalPage"];
                };
            };
        };
    };
    approvals_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads an approval */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "action": "action",
                     *       "state": "pending",
                     *       "summary": {},
                     *       "digest": "digest",
                     *       "devices": 1,
                     *       "requestedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "requestedByName": "requestedByName",
                     *       "requestedAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "decidedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "decidedByName": "decidedByName",
                     *       "decidedAt": "2026-06-01T12:00:00.000Z",
                     *       "usedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    approvals_approve: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Approves a request of another person */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "action": "action",
                     *       "state": "pending",
                     *       "summary": {},
                     *       "digest": "digest",
                     *       "devices": 1,
                     *       "requestedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "requestedByName": "requestedByName",
                     *       "requestedAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "decidedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "decidedByName": "decidedByName",
                     *       "decidedAt": "2026-06-01T12:00:00.000Z",
                     *       "usedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    approvals_reject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                approvalId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Rejects a request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "action": "action",
                     *       "state": "pending",
                     *       "summary": {},
                     *       "digest": "digest",
                     *       "devices": 1,
                     *       "requestedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "requestedByName": "requestedByName",
                     *       "requestedAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "decidedBy": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "decidedByName": "decidedByName",
                     *       "decidedAt": "2026-06-01T12:00:00.000Z",
                     *       "usedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Approval"];
                };
            };
        };
    };
    rights_explain: {
        parameters: {
            query?: {
                /** @description Whose rights; absent: your own, with the scope of the key of this request */
                operator?: string;
                /** @description A permission; absent: `device.call_read` or `device.call_write`, by `method` */
                action?: string;
                /** @description Its id, name:…, serial:… or mac:… */
                device?: string;
                method?: "GET" | "HEAD" | "OPTIONS" | "POST" | "PUT" | "PATCH" | "DELETE";
                /** @description A path on the device, such as /api/wireguard/config */
                path?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Says whether something is allowed, and by which rule */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "allowed": true,
                     *       "permission": "permission",
                     *       "because": "because",
                     *       "rules": [
                     *         {
                     *           "layer": "operator",
                     *           "role": "role",
                     *           "rule": 1,
                     *           "effect": "allow",
                     *           "permissions": [
                     *             "permissions"
                     *           ],
                     *           "selectors": [
                     *             "selectors"
                     *           ],
                     *           "paths": {}
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RightExplained"];
                };
            };
        };
    };
    fanout_run: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The approval of a second person, after it was given
                 * @example 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4
                 */
                "Approval-Id"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "tag:pump",
                 *       "request": {
                 *         "method": "GET",
                 *         "path": "/api/system/device/status"
                 *       },
                 *       "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *     }
                 */
                "application/json": components["schemas"]["FanOut"];
            };
        };
        responses: {
            /** @description Calls all devices of a selector and streams their answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example {"type":"started","fanOutId":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"} */
                    "application/x-ndjson": string;
                    /** @example data: {"type":"started","fanOutId":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"} */
                    "text/event-stream": string;
                };
            };
        };
    };
    storedfanouts_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                state?: "running" | "ended" | "interrupted";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists stored fan-outs, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "state": "running",
                     *           "selector": "tag:pump",
                     *           "requests": [
                     *             {
                     *               "method": "GET",
                     *               "path": "/api/system/device/status"
                     *             }
                     *           ],
                     *           "writes": true,
                     *           "retryOf": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "stopped": "stopped",
                     *           "startedBy": "Ada",
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z",
                     *           "devices": 1,
                     *           "counts": {
                     *             "succeeded": 1,
                     *             "failed": 1,
                     *             "skipped": 1,
                     *             "unreachable": 1,
                     *             "unknown": 1
                     *           }
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["StoredFanOutItem"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    storedfanouts_start: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The approval of a second person, after it was given
                 * @example 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4
                 */
                "Approval-Id"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "selector": "tag:pump",
                 *       "request": {
                 *         "method": "GET",
                 *         "path": "/api/system/device/status"
                 *       },
                 *       "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *     }
                 */
                "application/json": components["schemas"]["StartFanOut"];
            };
        };
        responses: {
            /** @description Calls all devices of a selector, stores their answers, and does not wait for them */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "running",
                     *       "selector": "tag:pump",
                     *       "requests": [
                     *         {
                     *           "method": "GET",
                     *           "path": "/api/system/device/status"
                     *         }
                     *       ],
                     *       "writes": true,
                     *       "retryOf": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "stopped": "stopped",
                     *       "startedBy": "Ada",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "devices": 1,
                     *       "forbidden": 1,
                     *       "counts": {
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "skipped": 1,
                     *         "unreachable": 1,
                     *         "unknown": 1
                     *       },
                     *       "waiting": 1,
                     *       "groups": [
                     *         {
                     *           "outcome": "succeeded",
                     *           "reason": "reason",
                     *           "status": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "bytes": 1,
                     *           "devices": 1,
                     *           "sample": {
                     *             "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "moreGroups": 1
                     *     }
                     */
                    "application/json": components["schemas"]["StoredFanOut"];
                };
            };
        };
    };
    storedfanouts_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fanOutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a stored fan-out, with equal answers grouped */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "running",
                     *       "selector": "tag:pump",
                     *       "requests": [
                     *         {
                     *           "method": "GET",
                     *           "path": "/api/system/device/status"
                     *         }
                     *       ],
                     *       "writes": true,
                     *       "retryOf": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "stopped": "stopped",
                     *       "startedBy": "Ada",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "devices": 1,
                     *       "forbidden": 1,
                     *       "counts": {
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "skipped": 1,
                     *         "unreachable": 1,
                     *         "unknown": 1
                     *       },
                     *       "waiting": 1,
                     *       "groups": [
                     *         {
                     *           "outcome": "succeeded",
                     *           "reason": "reason",
                     *           "status": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "bytes": 1,
                     *           "devices": 1,
                     *           "sample": {
                     *             "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "moreGroups": 1
                     *     }
                     */
                    "application/json": components["schemas"]["StoredFanOut"];
                };
            };
        };
    };
    storedfanouts_devices: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                outcome?: "succeeded" | "failed" | "skipped" | "unreachable" | "unknown";
                /** @description An error code */
                reason?: string;
                digest?: string;
            };
            header?: never;
            path: {
                fanOutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the outcomes of the devices of a stored fan-out */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "outcome": "succeeded",
                     *           "reason": "reason",
                     *           "status": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "bytes": 1,
                     *           "deviceCodes": [
                     *             1
                     *           ],
                     *           "ms": 1
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["FanOutDevice"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    storedfanouts_grid: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fanOutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows which outcome each device of a stored fan-out has so far */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "cells": [
                     *         {
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "site": "site",
                     *           "outcome": "succeeded"
                     *         }
                     *       ],
                     *       "more": true
                     *     }
                     */
                    "application/json": components["schemas"]["FanOutGrid"];
                };
            };
        };
    };
    storedfanouts_answer: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fanOutId: string;
                digest: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads an answer of a stored fan-out, without its secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "bytes": 1,
                     *       "devices": 1,
                     *       "stored": true,
                     *       "body": {}
                     *     }
                     */
                    "application/json": components["schemas"]["FanOutAnswer"];
                };
            };
        };
    };
    storedfanouts_retry: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description The approval of a second person, after it was given
                 * @example 0192f3a1-7c4e-7b1a-9d2e-5f60718293a4
                 */
                "Approval-Id"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                fanOutId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RetryFanOut"];
            };
        };
        responses: {
            /** @description Sends the calls of a stored fan-out again to devices that did not succeed */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "running",
                     *       "selector": "tag:pump",
                     *       "requests": [
                     *         {
                     *           "method": "GET",
                     *           "path": "/api/system/device/status"
                     *         }
                     *       ],
                     *       "writes": true,
                     *       "retryOf": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "stopped": "stopped",
                     *       "startedBy": "Ada",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "devices": 1,
                     *       "forbidden": 1,
                     *       "counts": {
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "skipped": 1,
                     *         "unreachable": 1,
                     *         "unknown": 1
                     *       },
                     *       "waiting": 1,
                     *       "groups": [
                     *         {
                     *           "outcome": "succeeded",
                     *           "reason": "reason",
                     *           "status": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "bytes": 1,
                     *           "devices": 1,
                     *           "sample": {
                     *             "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "moreGroups": 1
                     *     }
                     */
                    "application/json": components["schemas"]["StoredFanOut"];
                };
            };
        };
    };
    storedfanouts_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                fanOutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancels your running fan-out: no more calls start, and those in progress finish */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "running",
                     *       "selector": "tag:pump",
                     *       "requests": [
                     *         {
                     *           "method": "GET",
                     *           "path": "/api/system/device/status"
                     *         }
                     *       ],
                     *       "writes": true,
                     *       "retryOf": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "stopped": "stopped",
                     *       "startedBy": "Ada",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "devices": 1,
                     *       "forbidden": 1,
                     *       "counts": {
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "skipped": 1,
                     *         "unreachable": 1,
                     *         "unknown": 1
                     *       },
                     *       "waiting": 1,
                     *       "groups": [
                     *         {
                     *           "outcome": "succeeded",
                     *           "reason": "reason",
                     *           "status": 1,
                     *           "digest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "bytes": 1,
                     *           "devices": 1,
                     *           "sample": {
                     *             "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *             "name": "name"
                     *           }
                     *         }
                     *       ],
                     *       "moreGroups": 1
                     *     }
                     */
                    "application/json": components["schemas"]["StoredFanOut"];
                };
            };
        };
    };
    sessions_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows the sessions, the breaker and the queue of a device */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "account": "main",
                     *           "phase": "none",
                     *           "grantedAt": "2026-06-01T12:00:00.000Z",
                     *           "ageSeconds": 1,
                     *           "endsAt": "2026-06-01T12:00:00.000Z",
                     *           "loginsToday": 1,
                     *           "failedLogins": 1
                     *         }
                     *       ],
                     *       "breaker": {
                     *         "state": "closed",
                     *         "failures": 1,
                     *         "probeAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "slots": {
                     *         "read": {
                     *           "taken": 1,
                     *           "waiting": 1
                     *         },
                     *         "write": {
                     *           "taken": 1,
                     *           "waiting": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceSession"];
                };
            };
        };
    };
    sessions_reset: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Ends the sessions of a device and forgets its failures */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "sessions": [
                     *         {
                     *           "account": "main",
                     *           "phase": "none",
                     *           "grantedAt": "2026-06-01T12:00:00.000Z",
                     *           "ageSeconds": 1,
                     *           "endsAt": "2026-06-01T12:00:00.000Z",
                     *           "loginsToday": 1,
                     *           "failedLogins": 1
                     *         }
                     *       ],
                     *       "breaker": {
                     *         "state": "closed",
                     *         "failures": 1,
                     *         "probeAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "slots": {
                     *         "read": {
                     *           "taken": 1,
                     *           "waiting": 1
                     *         },
                     *         "write": {
                     *           "taken": 1,
                     *           "waiting": 1
                     *         }
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceSession"];
                };
            };
        };
    };
    discovery_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists searches, the newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "state": "queued",
                     *           "networks": [
                     *             "192.0.2.0/24"
                     *           ],
                     *           "ports": [
                     *             1
                     *           ],
                     *           "pace": {
                     *             "atOnce": 1,
                     *             "perSecond": 1
                     *           },
                     *           "addresses": 1,
                     *           "searched": 1,
                     *           "found": {
                     *             "devices": 1,
                     *             "others": 1
                     *           },
                     *           "logins": {
                     *             "granted": 1,
                     *             "refused": 1,
                     *             "unclear": 1
                     *           },
                     *           "failure": "starter_may_not",
                     *           "createdByName": "createdByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["Discovery"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    discovery_start: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "networks": [
                 *         "192.0.2.0/24"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["StartDiscovery"];
            };
        };
        responses: {
            /** @description Searches networks for devices */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "queued",
                     *       "networks": [
                     *         "192.0.2.0/24"
                     *       ],
                     *       "ports": [
                     *         1
                     *       ],
                     *       "pace": {
                     *         "atOnce": 1,
                     *         "perSecond": 1
                     *       },
                     *       "addresses": 1,
                     *       "searched": 1,
                     *       "found": {
                     *         "devices": 1,
                     *         "others": 1
                     *       },
                     *       "logins": {
                     *         "granted": 1,
                     *         "refused": 1,
                     *         "unclear": 1
                     *       },
                     *       "failure": "starter_may_not",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Discovery"];
                };
            };
        };
    };
    discovery_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                discoveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads the progress of a search */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "queued",
                     *       "networks": [
                     *         "192.0.2.0/24"
                     *       ],
                     *       "ports": [
                     *         1
                     *       ],
                     *       "pace": {
                     *         "atOnce": 1,
                     *         "perSecond": 1
                     *       },
                     *       "addresses": 1,
                     *       "searched": 1,
                     *       "found": {
                     *         "devices": 1,
                     *         "others": 1
                     *       },
                     *       "logins": {
                     *         "granted": 1,
                     *         "refused": 1,
                     *         "unclear": 1
                     *       },
                     *       "failure": "starter_may_not",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Discovery"];
                };
            };
        };
    };
    discovery_found: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description What answered; absent: both */
                kind?: "device" | "other";
                /** @description Whether it is a device of the registry that you see; absent: both */
                known?: string;
                /** @description The last login; absent: any */
                login?: "granted" | "refused" | "unclear" | "none";
            };
            header?: never;
            path: {
                discoveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists what answered, in the order of the addresses */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "address": "192.0.2.7",
                     *           "port": 1,
                     *           "baseUrl": "https://192.0.2.7",
                     *           "kind": "device",
                     *           "reason": "reason",
                     *           "pin": "sha256/47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=",
                     *           "certificate": {
                     *             "subject": "CN=192.0.2.7",
                     *             "issuer": "CN=192.0.2.7",
                     *             "notAfter": "2026-06-01T12:00:00.000Z",
                     *             "fingerprint": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                     *           },
                     *           "name": "name",
                     *           "model": "RUTX50",
                     *           "identifier": "1112223334",
                     *           "apiVersion": "1.9.2",
                     *           "login": "granted",
                     *           "serial": "1112223334",
                     *           "mac": "00:1e:42:00:00:01",
                     *           "firmware": "RUTX_R_00.07.16.3",
                     *           "known": {
                     *             "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *             "by": "baseUrl",
                     *             "pinMatches": true
                     *           },
                     *           "seenAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": {
                        items: components["schemas"]["DiscoveredAddress"][];
                        next: string | null;
                    };
                };
            };
        };
    };
    discovery_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                discoveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancels a search; what it found stays */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "state": "queued",
                     *       "networks": [
                     *         "192.0.2.0/24"
                     *       ],
                     *       "ports": [
                     *         1
                     *       ],
                     *       "pace": {
                     *         "atOnce": 1,
                     *         "perSecond": 1
                     *       },
                     *       "addresses": 1,
                     *       "searched": 1,
                     *       "found": {
                     *         "devices": 1,
                     *         "others": 1
                     *       },
                     *       "logins": {
                     *         "granted": 1,
                     *         "refused": 1,
                     *         "unclear": 1
                     *       },
                     *       "failure": "starter_may_not",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Discovery"];
                };
            };
        };
    };
    discovery_accept: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                discoveryId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "found": [
                 *         "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"
                 *       ],
                 *       "tags": [
                 *         "pump"
                 *       ],
                 *       "site": "vilnius/plant-2"
                 *     }
                 */
                "application/json": components["schemas"]["AcceptDiscovered"];
            };
        };
        responses: {
            /** @description Registers chosen devices, each with the key that it showed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "found": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "outcome": "accepted",
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "code": "device_exists",
                     *           "detail": "detail"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["AcceptedDevices"];
                };
            };
        };
    };
    artifacts_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Only artifacts of this device */
                device?: string;
                /** @description Only artifacts of this job */
                job?: string;
                kind?: "firmware" | "backup" | "certificate" | "configuration" | "file";
                sha256?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists artifacts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "kind": "firmware",
                     *           "name": "name",
                     *           "sha256": "sha256",
                     *           "bytes": 1,
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "version": "version",
                     *           "models": [
                     *             "models"
                     *           ],
                     *           "hardware": [
                     *             "hardware"
                     *           ],
                     *           "minimumVersion": "minimumVersion",
                     *           "signedBy": "signedBy",
                     *           "createdBy": "createdBy",
                     *           "createdByName": "createdByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "openUses": 1
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactPage"];
                };
            };
        };
    };
    artifacts_add: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example The bytes of the file */
                "application/octet-stream": string;
                /**
                 * @example {
                 *       "kind": "firmware",
                 *       "file": "The bytes of the file"
                 *     }
                 */
                "multipart/form-data": components["schemas"]["UploadArtifact"];
            };
        };
        responses: {
            /** @description Stores a file: firmware, a certificate, a configuration */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "kind": "firmware",
                     *       "name": "name",
                     *       "sha256": "sha256",
                     *       "bytes": 1,
                     *       "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "version": "version",
                     *       "models": [
                     *         "models"
                     *       ],
                     *       "hardware": [
                     *         "hardware"
                     *       ],
                     *       "minimumVersion": "minimumVersion",
                     *       "signedBy": "signedBy",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "openUses": 1
                     *     }
                     */
                    "application/json": components["schemas"]["Artifact"];
                };
            };
        };
    };
    artifacts_usage: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows the used and the available space for artifacts */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "quotaBytes": 1,
                     *       "usedBytes": 1,
                     *       "reservedBytes": 1
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactUsage"];
                };
            };
        };
    };
    artifacts_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads an artifact and the jobs that use it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "kind": "firmware",
                     *       "name": "name",
                     *       "sha256": "sha256",
                     *       "bytes": 1,
                     *       "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "version": "version",
                     *       "models": [
                     *         "models"
                     *       ],
                     *       "hardware": [
                     *         "hardware"
                     *       ],
                     *       "minimumVersion": "minimumVersion",
                     *       "signedBy": "signedBy",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "openUses": 1,
                     *       "uses": [
                     *         {
                     *           "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "kind": "kind",
                     *           "phase": "queued",
                     *           "outcome": "succeeded",
                     *           "createdAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ArtifactWithUses"];
                };
            };
        };
    };
    artifacts_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Deletes an artifact that no job needs */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    artifacts_content: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                artifactId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Downloads the bytes of an artifact */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /** @example The bytes of the artifact */
                    "application/octet-stream": string;
                };
            };
        };
    };
    jobs_start: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description How many seconds to wait for the end, at most 60
                 * @example wait=30
                 */
                Prefer?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["StartJob"];
            };
        };
        responses: {
            /** @description With `Prefer: wait`: the job ended within that time */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
            /** @description Starts a long job on a device */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    jobs_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Only jobs of this device */
                device?: string;
                kind?: string;
                phase?: "queued" | "dispatched" | "running" | "ended";
                outcome?: "succeeded" | "failed" | "not_executed" | "unknown" | "cancelled";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists jobs, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "kind": "backup",
                     *           "spec": {},
                     *           "phase": "queued",
                     *           "outcome": "succeeded",
                     *           "step": "step",
                     *           "progress": {
                     *             "percent": 1,
                     *             "text": "text"
                     *           },
                     *           "waitReason": "waitReason",
                     *           "wakeAt": "2026-06-01T12:00:00.000Z",
                     *           "deadlineAt": "2026-06-01T12:00:00.000Z",
                     *           "attempts": 1,
                     *           "lostWorkers": 1,
                     *           "cancelAskedAt": "2026-06-01T12:00:00.000Z",
                     *           "result": {},
                     *           "failure": {
                     *             "code": "code",
                     *             "message": "message",
                     *             "facts": {}
                     *           },
                     *           "startedBy": "startedBy",
                     *           "startedByName": "startedByName",
                     *           "reason": "reason",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["JobPage"];
                };
            };
        };
    };
    jobs_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a job, with its log of steps */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobWithSteps"];
                };
            };
        };
    };
    jobs_cancel: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                jobId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Cancels a job before its point of no return */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Job"];
                };
            };
        };
    };
    backups_coverage: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description docs/reference/selectors.md */
                selector?: string;
                /** @description Only devices in this state; the counts are for all devices */
                state?: "none" | "failed" | "overdue" | "fresh";
                /** @description A backup older than this is overdue */
                maxAgeHours?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows which devices have a backup, and its age and state */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "counts": {
                     *         "none": 1,
                     *         "failed": 1,
                     *         "overdue": 1,
                     *         "fresh": 1
                     *       },
                     *       "items": [
                     *         {
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "state": "none",
                     *           "artifactId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "at": "2026-06-01T12:00:00.000Z",
                     *           "opens": true,
                     *           "lastFailure": "lastFailure"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["BackupCoverage"];
                };
            };
        };
    };
    backups_diff: {
        parameters: {
            query: {
                /** @description Id of a backup; or a device, by id, name:…, serial:… or mac:…: its newest backup */
                a: string;
                /** @description The same */
                b: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Compares two backups, or the newest ones of two devices */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "a": {
                     *         "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "name": "name",
                     *         "createdAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "b": {
                     *         "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *         "name": "name",
                     *         "createdAt": "2026-06-01T12:00:00.000Z"
                     *       },
                     *       "same": true,
                     *       "files": [
                     *         {
                     *           "name": "name",
                     *           "change": "added",
                     *           "lines": [
                     *             {
                     *               "is": "+",
                     *               "text": "text"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "cut": true
                     *     }
                     */
                    "application/json": components["schemas"]["BackupDiff"];
                };
            };
        };
    };
    backups_contents: {
        parameters: {
            query: {
                /** @description Id of a backup; or a device, by id, name:…, serial:… or mac:…: its newest backup */
                backup: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads the files of a backup, and the settings in them */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "files": [
                     *         {
                     *           "name": "name",
                     *           "bytes": 1,
                     *           "lines": [
                     *             "lines"
                     *           ]
                     *         }
                     *       ],
                     *       "cut": true
                     *     }
                     */
                    "application/json": components["schemas"]["BackupContents"];
                };
            };
        };
    };
    backups_list: {
        parameters: {
            query?: {
                /** @description How many of the next runs to list */
                runs?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists backup policies */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "selector": "selector",
                     *           "rhythm": {
                     *             "cron": "30 2 * * 1-5",
                     *             "timeZone": "Europe/Vilnius"
                     *           },
                     *           "keepCount": 1,
                     *           "keepDays": 1,
                     *           "onlyChanges": true,
                     *           "encrypted": true,
                     *           "enabled": true,
                     *           "orphaned": true,
                     *           "nextRunAt": "2026-06-01T12:00:00.000Z",
                     *           "nextRuns": [
                     *             "2026-06-01T12:00:00.000Z"
                     *           ],
                     *           "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *           "lastStarted": 1,
                     *           "lastError": "lastError",
                     *           "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *           "createdByName": "createdByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BackupPolicyList"];
                };
            };
        };
    };
    backups_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "name",
                 *       "selector": "selector",
                 *       "rhythm": {
                 *         "cron": "30 2 * * 1-5"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateBackupPolicy"];
            };
        };
        responses: {
            /** @description Creates a policy: which devices are backed up, when, and how long backups are stored */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "selector": "selector",
                     *       "rhythm": {
                     *         "cron": "30 2 * * 1-5",
                     *         "timeZone": "Europe/Vilnius"
                     *       },
                     *       "keepCount": 1,
                     *       "keepDays": 1,
                     *       "onlyChanges": true,
                     *       "encrypted": true,
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "nextRunAt": "2026-06-01T12:00:00.000Z",
                     *       "nextRuns": [
                     *         "2026-06-01T12:00:00.000Z"
                     *       ],
                     *       "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *       "lastStarted": 1,
                     *       "lastError": "lastError",
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BackupPolicy"];
                };
            };
        };
    };
    backups_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                policyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a backup policy */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "selector": "selector",
                     *       "rhythm": {
                     *         "cron": "30 2 * * 1-5",
                     *         "timeZone": "Europe/Vilnius"
                     *       },
                     *       "keepCount": 1,
                     *       "keepDays": 1,
                     *       "onlyChanges": true,
                     *       "encrypted": true,
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "nextRunAt": "2026-06-01T12:00:00.000Z",
                     *       "nextRuns": [
                     *         "2026-06-01T12:00:00.000Z"
                     *       ],
                     *       "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *       "lastStarted": 1,
                     *       "lastError": "lastError",
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BackupPolicy"];
                };
            };
        };
    };
    backups_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                policyId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "name",
                 *       "selector": "selector",
                 *       "rhythm": {
                 *         "cron": "30 2 * * 1-5"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateBackupPolicy"];
            };
        };
        responses: {
            /** @description Replaces a backup policy; from now on it acts in your name */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "selector": "selector",
                     *       "rhythm": {
                     *         "cron": "30 2 * * 1-5",
                     *         "timeZone": "Europe/Vilnius"
                     *       },
                     *       "keepCount": 1,
                     *       "keepDays": 1,
                     *       "onlyChanges": true,
                     *       "encrypted": true,
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "nextRunAt": "2026-06-01T12:00:00.000Z",
                     *       "nextRuns": [
                     *         "2026-06-01T12:00:00.000Z"
                     *       ],
                     *       "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *       "lastStarted": 1,
                     *       "lastError": "lastError",
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["BackupPolicy"];
                };
            };
        };
    };
    backups_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                policyId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a policy; its backups stay and are no longer removed */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    certificates_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Only certificates that expire before this instant */
                expiresBefore?: string;
                /** @description Only on devices of this selector */
                selector?: string;
                /** @description Only on this device */
                device?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists certificates on devices, the earliest expiry first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "deviceName": "deviceName",
                     *           "file": "file",
                     *           "type": "type",
                     *           "subject": "subject",
                     *           "issuer": "issuer",
                     *           "notBefore": "2026-06-01T12:00:00.000Z",
                     *           "notAfter": "2026-06-01T12:00:00.000Z",
                     *           "fingerprint": "fingerprint",
                     *           "seenAt": "2026-06-01T12:00:00.000Z",
                     *           "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["DeviceCertificatePage"];
                };
            };
        };
    };
    rollouts_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                state?: "draft" | "awaiting_approval" | "scheduled" | "running" | "paused" | "aborting" | "finished" | "aborted";
                /** @description Only rollouts whose parameters name this artifact */
                artifact?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists rollouts, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "June firmware",
                     *           "kind": "firmware",
                     *           "spec": {
                     *             "source": "vendor"
                     *           },
                     *           "selector": "tag:pump & firmware<7.14",
                     *           "policy": {
                     *             "waves": [
                     *               {
                     *                 "take": {
                     *                   "count": 1
                     *                 },
                     *                 "gate": "auto",
                     *                 "successPercent": 95,
                     *                 "soakMinutes": 0
                     *               }
                     *             ],
                     *             "checks": [],
                     *             "stop": {
                     *               "minimum": 5
                     *             },
                     *             "concurrency": 50,
                     *             "windows": [],
                     *             "timeZone": "UTC",
                     *             "expectedMinutes": 15,
                     *             "offline": {
                     *               "action": "wait",
                     *               "waitHours": 72
                     *             },
                     *             "held": "skip",
                     *             "retries": 1,
                     *             "membership": "frozen"
                     *           },
                     *           "state": "draft",
                     *           "pause": {
                     *             "cause": "cause",
                     *             "sentence": "sentence"
                     *           },
                     *           "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *           "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "createdBy": "createdBy",
                     *           "createdByName": "createdByName",
                     *           "approvedByName": "approvedByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "startsAt": "2026-06-01T12:00:00.000Z",
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z",
                     *           "total": 1,
                     *           "counts": {
                     *             "waiting": 1,
                     *             "offline": 1,
                     *             "queued": 1,
                     *             "running": 1,
                     *             "succeeded": 1,
                     *             "failed": 1,
                     *             "unknown": 1,
                     *             "skipped": 1,
                     *             "cancelled": 1
                     *           }
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["RolloutPage"];
                };
            };
        };
    };
    rollouts_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "June firmware",
                 *       "kind": "firmware",
                 *       "spec": {
                 *         "source": "vendor"
                 *       },
                 *       "selector": "tag:pump & firmware<7.14",
                 *       "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *     }
                 */
                "application/json": components["schemas"]["CreateRollout"];
            };
        };
        responses: {
            /** @description Creates a rollout as a draft, with the devices that its selector names now */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MadeRollout"];
                };
            };
        };
    };
    rollouts_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a rollout, wave by wave */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       },
                     *       "waves": [
                     *         {
                     *           "ordinal": 1,
                     *           "name": "name",
                     *           "state": "waiting",
                     *           "gate": "auto",
                     *           "promoted": true,
                     *           "soakUntil": "2026-06-01T12:00:00.000Z",
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z",
                     *           "counts": {
                     *             "waiting": 1,
                     *             "offline": 1,
                     *             "queued": 1,
                     *             "running": 1,
                     *             "succeeded": 1,
                     *             "failed": 1,
                     *             "unknown": 1,
                     *             "skipped": 1,
                     *             "cancelled": 1
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RolloutWithWaves"];
                };
            };
        };
    };
    rollouts_targets: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                state?: "waiting" | "offline" | "queued" | "running" | "succeeded" | "failed" | "unknown" | "skipped" | "cancelled";
                wave?: number;
            };
            header?: never;
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists what a rollout does with each device */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "deviceName": "deviceName",
                     *           "wave": 1,
                     *           "state": "waiting",
                     *           "reason": "reason",
                     *           "wakeAt": "2026-06-01T12:00:00.000Z",
                     *           "tries": 1,
                     *           "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "beganAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["RolloutTargetPage"];
                };
            };
        };
    };
    rollouts_report: {
        parameters: {
            query?: {
                format?: "json" | "csv" | "html";
            };
            header?: never;
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads the result of a rollout: times, causes of failures, devices that need a person */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       },
                     *       "waves": [
                     *         {
                     *           "ordinal": 1,
                     *           "name": "name",
                     *           "state": "waiting",
                     *           "gate": "auto",
                     *           "promoted": true,
                     *           "soakUntil": "2026-06-01T12:00:00.000Z",
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z",
                     *           "counts": {
                     *             "waiting": 1,
                     *             "offline": 1,
                     *             "queued": 1,
                     *             "running": 1,
                     *             "succeeded": 1,
                     *             "failed": 1,
                     *             "unknown": 1,
                     *             "skipped": 1,
                     *             "cancelled": 1
                     *           }
                     *         }
                     *       ],
                     *       "reason": "reason",
                     *       "madeAt": "2026-06-01T12:00:00.000Z",
                     *       "times": {
                     *         "totalSeconds": 1,
                     *         "perDevice": {
                     *           "p50": 1,
                     *           "p90": 1,
                     *           "max": 1
                     *         }
                     *       },
                     *       "causes": [
                     *         {
                     *           "state": "state",
                     *           "reason": "reason",
                     *           "count": 1,
                     *           "devices": [
                     *             "devices"
                     *           ]
                     *         }
                     *       ],
                     *       "needsPerson": [
                     *         {
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "state": "state",
                     *           "reason": "reason"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["RolloutReport"];
                    /**
                     * @example device,device_id,wave,state,reason,tries
                     *     pump-1,0192f3a1-7c4e-7b1a-9d2e-5f60718293a4,1,succeeded,,1
                     */
                    "text/csv": string;
                    /** @example <!doctype html><title>June</title> */
                    "text/html": string;
                };
            };
        };
    };
    rollouts_follow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Follows a rollout as server-sent events, until its end */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example data: {"id":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4","name":"June firmware","kind":"firmware","selector":"tag:pump & firmware<7.14","state":"draft","pause":{"cause":"cause","sentence":"sentence"},"planDigest":"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08","scheduleId":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4","rollsBack":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4","createdBy":"createdBy","createdByName":"createdByName","approvedByName":"approvedByName","createdAt":"2026-06-01T12:00:00.000Z","startsAt":"2026-06-01T12:00:00.000Z","startedAt":"2026-06-01T12:00:00.000Z","endedAt":"2026-06-01T12:00:00.000Z","total":1,"counts":{"waiting":1,"offline":1,"queued":1,"running":1,"succeeded":1,"failed":1,"unknown":1,"skipped":1,"cancelled":1},"waves":[{"ordinal":1,"name":"name","state":"waiting","gate":"auto","promoted":true,"soakUntil":"2026-06-01T12:00:00.000Z","startedAt":"2026-06-01T12:00:00.000Z","endedAt":"2026-06-01T12:00:00.000Z","counts":{"waiting":1,"offline":1,"queued":1,"running":1,"succeeded":1,"failed":1,"unknown":1,"skipped":1,"cancelled":1}}]} */
                    "text/event-stream": string;
                };
            };
        };
    };
    rollouts_start: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Starts a draft: now, at its time, or after a second person has approved it */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_approve: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *     }
                 */
                "application/json": components["schemas"]["ApproveRollout"];
            };
        };
        responses: {
            /** @description Approves a rollout that another operator has started */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_reject: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sends a rollout that waits for approval back to its draft */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_pause: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Pauses it: starts no more devices; running jobs finish */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_resume: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Resumes it: failures so far are acknowledged, and thresholds count from now on */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_abort: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Aborts a rollout; jobs past their point of no return finish with a verified end */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_retry: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RetryRollout"];
            };
        };
        responses: {
            /** @description Retries devices that failed, or that ended in another of these states */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_rollBack: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /** @example {} */
                "application/json": components["schemas"]["RollBackRollout"];
            };
        };
        responses: {
            /** @description Creates the rollout that rolls this one back, as a draft */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MadeRollout"];
                };
            };
        };
    };
    rollouts_skip: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
                deviceId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Excludes a device that has not started */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    rollouts_promote: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                rolloutId: string;
                ordinal: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lets a wave with a manual gate start, as soon as those before it have passed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "June firmware",
                     *       "kind": "firmware",
                     *       "spec": {
                     *         "source": "vendor"
                     *       },
                     *       "selector": "tag:pump & firmware<7.14",
                     *       "policy": {
                     *         "waves": [
                     *           {
                     *             "take": {
                     *               "count": 1
                     *             },
                     *             "gate": "auto",
                     *             "successPercent": 95,
                     *             "soakMinutes": 0
                     *           }
                     *         ],
                     *         "checks": [],
                     *         "stop": {
                     *           "minimum": 5
                     *         },
                     *         "concurrency": 50,
                     *         "windows": [],
                     *         "timeZone": "UTC",
                     *         "expectedMinutes": 15,
                     *         "offline": {
                     *           "action": "wait",
                     *           "waitHours": 72
                     *         },
                     *         "held": "skip",
                     *         "retries": 1,
                     *         "membership": "frozen"
                     *       },
                     *       "state": "draft",
                     *       "pause": {
                     *         "cause": "cause",
                     *         "sentence": "sentence"
                     *       },
                     *       "planDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *       "scheduleId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "rollsBack": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdBy": "createdBy",
                     *       "createdByName": "createdByName",
                     *       "approvedByName": "approvedByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "startsAt": "2026-06-01T12:00:00.000Z",
                     *       "startedAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "total": 1,
                     *       "counts": {
                     *         "waiting": 1,
                     *         "offline": 1,
                     *         "queued": 1,
                     *         "running": 1,
                     *         "succeeded": 1,
                     *         "failed": 1,
                     *         "unknown": 1,
                     *         "skipped": 1,
                     *         "cancelled": 1
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Rollout"];
                };
            };
        };
    };
    schedules_list: {
        parameters: {
            query?: {
                /** @description How many of the next runs to list */
                runs?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists schedules */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "rhythm": {
                     *             "cron": "30 2 * * 1-5",
                     *             "timeZone": "Europe/Vilnius"
                     *           },
                     *           "rollout": {
                     *             "name": "June firmware",
                     *             "kind": "firmware",
                     *             "spec": {
                     *               "source": "vendor"
                     *             },
                     *             "selector": "tag:pump & firmware<7.14",
                     *             "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *             "policy": {
                     *               "waves": [
                     *                 {
                     *                   "take": {
                     *                     "count": 1
                     *                   },
                     *                   "gate": "auto",
                     *                   "successPercent": 95,
                     *                   "soakMinutes": 0
                     *                 }
                     *               ],
                     *               "checks": [],
                     *               "stop": {
                     *                 "minimum": 5
                     *               },
                     *               "concurrency": 50,
                     *               "windows": [],
                     *               "timeZone": "UTC",
                     *               "expectedMinutes": 15,
                     *               "offline": {
                     *                 "action": "wait",
                     *                 "waitHours": 72
                     *               },
                     *               "held": "skip",
                     *               "retries": 1,
                     *               "membership": "frozen"
                     *             }
                     *           },
                     *           "missed": "once",
                     *           "enabled": true,
                     *           "orphaned": true,
                     *           "nextRuns": [
                     *             "2026-06-01T12:00:00.000Z"
                     *           ],
                     *           "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *           "lastRolloutId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "lastError": "lastError",
                     *           "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *           "createdByName": "createdByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ScheduleList"];
                };
            };
        };
    };
    schedules_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly backups",
                 *       "rhythm": {
                 *         "cron": "30 2 * * 1-5"
                 *       },
                 *       "rollout": {
                 *         "name": "June firmware",
                 *         "kind": "firmware",
                 *         "spec": {
                 *           "source": "vendor"
                 *         },
                 *         "selector": "tag:pump & firmware<7.14",
                 *         "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSchedule"];
            };
        };
        responses: {
            /** @description Creates a schedule that starts a rollout repeatedly */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "rhythm": {
                     *         "cron": "30 2 * * 1-5",
                     *         "timeZone": "Europe/Vilnius"
                     *       },
                     *       "rollout": {
                     *         "name": "June firmware",
                     *         "kind": "firmware",
                     *         "spec": {
                     *           "source": "vendor"
                     *         },
                     *         "selector": "tag:pump & firmware<7.14",
                     *         "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "policy": {
                     *           "waves": [
                     *             {
                     *               "take": {
                     *                 "count": 1
                     *               },
                     *               "gate": "auto",
                     *               "successPercent": 95,
                     *               "soakMinutes": 0
                     *             }
                     *           ],
                     *           "checks": [],
                     *           "stop": {
                     *             "minimum": 5
                     *           },
                     *           "concurrency": 50,
                     *           "windows": [],
                     *           "timeZone": "UTC",
                     *           "expectedMinutes": 15,
                     *           "offline": {
                     *             "action": "wait",
                     *             "waitHours": 72
                     *           },
                     *           "held": "skip",
                     *           "retries": 1,
                     *           "membership": "frozen"
                     *         }
                     *       },
                     *       "missed": "once",
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "nextRuns": [
                     *         "2026-06-01T12:00:00.000Z"
                     *       ],
                     *       "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *       "lastRolloutId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastError": "lastError",
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    schedules_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a schedule */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "rhythm": {
                     *         "cron": "30 2 * * 1-5",
                     *         "timeZone": "Europe/Vilnius"
                     *       },
                     *       "rollout": {
                     *         "name": "June firmware",
                     *         "kind": "firmware",
                     *         "spec": {
                     *           "source": "vendor"
                     *         },
                     *         "selector": "tag:pump & firmware<7.14",
                     *         "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "policy": {
                     *           "waves": [
                     *             {
                     *               "take": {
                     *                 "count": 1
                     *               },
                     *               "gate": "auto",
                     *               "successPercent": 95,
                     *               "soakMinutes": 0
                     *             }
                     *           ],
                     *           "checks": [],
                     *           "stop": {
                     *             "minimum": 5
                     *           },
                     *           "concurrency": 50,
                     *           "windows": [],
                     *           "timeZone": "UTC",
                     *           "expectedMinutes": 15,
                     *           "offline": {
                     *             "action": "wait",
                     *             "waitHours": 72
                     *           },
                     *           "held": "skip",
                     *           "retries": 1,
                     *           "membership": "frozen"
                     *         }
                     *       },
                     *       "missed": "once",
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "nextRuns": [
                     *         "2026-06-01T12:00:00.000Z"
                     *       ],
                     *       "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *       "lastRolloutId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastError": "lastError",
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    schedules_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "nightly backups",
                 *       "rhythm": {
                 *         "cron": "30 2 * * 1-5"
                 *       },
                 *       "rollout": {
                 *         "name": "June firmware",
                 *         "kind": "firmware",
                 *         "spec": {
                 *           "source": "vendor"
                 *         },
                 *         "selector": "tag:pump & firmware<7.14",
                 *         "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateSchedule"];
            };
        };
        responses: {
            /** @description Replaces a schedule; from now on it acts in your name */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "rhythm": {
                     *         "cron": "30 2 * * 1-5",
                     *         "timeZone": "Europe/Vilnius"
                     *       },
                     *       "rollout": {
                     *         "name": "June firmware",
                     *         "kind": "firmware",
                     *         "spec": {
                     *           "source": "vendor"
                     *         },
                     *         "selector": "tag:pump & firmware<7.14",
                     *         "expectedDigest": "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                     *         "policy": {
                     *           "waves": [
                     *             {
                     *               "take": {
                     *                 "count": 1
                     *               },
                     *               "gate": "auto",
                     *               "successPercent": 95,
                     *               "soakMinutes": 0
                     *             }
                     *           ],
                     *           "checks": [],
                     *           "stop": {
                     *             "minimum": 5
                     *           },
                     *           "concurrency": 50,
                     *           "windows": [],
                     *           "timeZone": "UTC",
                     *           "expectedMinutes": 15,
                     *           "offline": {
                     *             "action": "wait",
                     *             "waitHours": 72
                     *           },
                     *           "held": "skip",
                     *           "retries": 1,
                     *           "membership": "frozen"
                     *         }
                     *       },
                     *       "missed": "once",
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "nextRuns": [
                     *         "2026-06-01T12:00:00.000Z"
                     *       ],
                     *       "lastRunAt": "2026-06-01T12:00:00.000Z",
                     *       "lastRolloutId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "lastError": "lastError",
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Schedule"];
                };
            };
        };
    };
    schedules_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                scheduleId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a schedule; its rollouts stay */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    events_follow: {
        parameters: {
            query?: {
                /** @description Separated by commas; absent: all */
                types?: string;
            };
            header?: {
                /**
                 * @description The id of the last event that you have
                 * @example 4711.42
                 */
                "Last-Event-ID"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Streams events as server-sent events */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /** @example data: {"type":"job.ended","at":"2026-06-01T12:00:00.000Z","subject":"subject","deviceId":"0192f3a1-7c4e-7b1a-9d2e-5f60718293a4","data":{}} */
                    "text/event-stream": string;
                };
            };
        };
    };
    webhooks_list: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists webhooks */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "name": "name",
                     *           "url": "url",
                     *           "urlHidesSome": true,
                     *           "types": [
                     *             "job.ended"
                     *           ],
                     *           "enabled": true,
                     *           "orphaned": true,
                     *           "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *           "createdByName": "createdByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookList"];
                };
            };
        };
    };
    webhooks_create: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "name",
                 *       "url": "https://example.com/hook",
                 *       "types": [
                 *         "job.ended"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description Makes a webhook; the answer is the only place where its secret is seen */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "url": "url",
                     *       "urlHidesSome": true,
                     *       "types": [
                     *         "job.ended"
                     *       ],
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "secret": "secret"
                     *     }
                     */
                    "application/json": components["schemas"]["MadeWebhook"];
                };
            };
        };
    };
    webhooks_get: {
        parameters: {
            query?: never;
            header?: {
                /** @description ETags that the caller has; `*` for any */
                "If-None-Match"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads a webhook */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "url": "url",
                     *       "urlHidesSome": true,
                     *       "types": [
                     *         "job.ended"
                     *       ],
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    webhooks_replace: {
        parameters: {
            query?: never;
            header?: {
                /** @description The ETag that the resource must still have */
                "If-Match"?: string;
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "name",
                 *       "url": "https://example.com/hook",
                 *       "types": [
                 *         "job.ended"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhook"];
            };
        };
        responses: {
            /** @description Changes a webhook; its secret stays, and from now on it gets the events that you may see */
            200: {
                headers: {
                    /** @description The version of the resource */
                    ETag?: string;
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "name": "name",
                     *       "url": "url",
                     *       "urlHidesSome": true,
                     *       "types": [
                     *         "job.ended"
                     *       ],
                     *       "enabled": true,
                     *       "orphaned": true,
                     *       "quarantinedAt": "2026-06-01T12:00:00.000Z",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Webhook"];
                };
            };
        };
    };
    webhooks_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a webhook with the log of its deliveries */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    webhooks_deliveries: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                state?: "waiting" | "delivered" | "failed";
            };
            header?: never;
            path: {
                webhookId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the deliveries of a webhook with their answers, newest first */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "type": "type",
                     *           "state": "waiting",
                     *           "attempts": 1,
                     *           "dueAt": "2026-06-01T12:00:00.000Z",
                     *           "status": 1,
                     *           "error": "error",
                     *           "ms": 1,
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "endedAt": "2026-06-01T12:00:00.000Z",
                     *           "message": {}
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDeliveryPage"];
                };
            };
        };
    };
    webhooks_replay: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                webhookId: string;
                deliveryId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Sends a delivery again, with the same id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "type": "type",
                     *       "state": "waiting",
                     *       "attempts": 1,
                     *       "dueAt": "2026-06-01T12:00:00.000Z",
                     *       "status": 1,
                     *       "error": "error",
                     *       "ms": 1,
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "endedAt": "2026-06-01T12:00:00.000Z",
                     *       "message": {}
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookDelivery"];
                };
            };
        };
    };
    system_read: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Shows the state of the installation: processes, queue, database, audit, warnings */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "version": "1.0.0",
                     *       "processes": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "role": "all",
                     *           "host": "gateway-1",
                     *           "version": "1.0.0",
                     *           "node": "v22.20.0",
                     *           "alive": true,
                     *           "startedAt": "2026-06-01T12:00:00.000Z",
                     *           "aliveAt": "2026-06-01T12:00:00.000Z",
                     *           "checks": {
                     *             "process": "ok",
                     *             "database": "ok",
                     *             "queue": "ok"
                     *           },
                     *           "sweepers": [
                     *             {
                     *               "name": "rollouts",
                     *               "at": "2026-06-01T12:00:00.000Z",
                     *               "outcome": "done"
                     *             }
                     *           ]
                     *         }
                     *       ],
                     *       "jobs": {
                     *         "due": 1,
                     *         "oldestDueMs": 1,
                     *         "running": 1
                     *       },
                     *       "database": {
                     *         "version": "18.4",
                     *         "embedded": true
                     *       },
                     *       "queue": "postgres",
                     *       "audit": {
                     *         "size": 1,
                     *         "signedAt": "2026-06-01T12:00:00.000Z",
                     *         "ageMs": 1
                     *       },
                     *       "warnings": [
                     *         {
                     *           "code": "no_worker",
                     *           "since": "2026-06-01T12:00:00.000Z",
                     *           "text": "text"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["System"];
                };
            };
        };
    };
    system_settings: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists the settings of the process that answers, without secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "name": "STATUS_EVERY_SECONDS",
                     *           "value": "value",
                     *           "hidden": true,
                     *           "source": "default",
                     *           "description": "description"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SettingList"];
                };
            };
        };
    };
    sealedvalues_list: {
        parameters: {
            query?: {
                /** @description Rows per page */
                limit?: number;
                /** @description `next` of the previous page; opaque */
                cursor?: string;
                /** @description Only values that jobs of this device made */
                device?: string;
                /** @description Only values that this job made */
                job?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Lists sealed values, newest first, without the secrets */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "label": "label",
                     *           "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "policyId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *           "createdByName": "createdByName",
                     *           "createdAt": "2026-06-01T12:00:00.000Z",
                     *           "expiresAt": "2026-06-01T12:00:00.000Z"
                     *         }
                     *       ],
                     *       "next": "next"
                     *     }
                     */
                    "application/json": components["schemas"]["SealedValuePage"];
                };
            };
        };
    };
    sealedvalues_give: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "label",
                 *       "value": "value"
                 *     }
                 */
                "application/json": components["schemas"]["GiveSealedValue"];
            };
        };
        responses: {
            /** @description Stores a secret for your jobs; their specs name it by its id */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "label": "label",
                     *       "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "policyId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["SealedValue"];
                };
            };
        };
    };
    sealedvalues_open: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                valueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Reads the secret of a sealed value, such as a password that a job generated */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "label": "label",
                     *       "deviceId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "jobId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "policyId": "0192f3a1-7c4e-7b1a-9d2e-5f60718293a4",
                     *       "createdByName": "createdByName",
                     *       "createdAt": "2026-06-01T12:00:00.000Z",
                     *       "expiresAt": "2026-06-01T12:00:00.000Z",
                     *       "value": "value"
                     *     }
                     */
                    "application/json": components["schemas"]["OpenedValue"];
                };
            };
        };
    };
    sealedvalues_remove: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
                /** @description A value of your choice: 8 to 128 letters, digits and - _ . characters. The gateway stores it for 24 hours. The same request with the same key is not carried out again: it gets the first answer, or is told where to look for what became of it */
                "Idempotency-Key"?: string;
            };
            path: {
                valueId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Removes a sealed value */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    passthrough_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    passthrough_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    passthrough_post: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    passthrough_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    passthrough_options: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    passthrough_head: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    passthrough_patch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_get: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_put: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_post: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_delete: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_options: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_head: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
    facade_patch: {
        parameters: {
            query?: never;
            header?: {
                /** @description The reason, for the audit. REQUIRE_CHANGE_REASON can make it mandatory */
                "X-Change-Reason"?: string;
            };
            path: {
                /** @description The device: its id, `name:…`, `serial:…` or `mac:…` */
                ref: string;
                /**
                 * @description The rest of the path on the device, with slashes, exactly as the device must receive it
                 * @example system/device/status
                 */
                path: string;
            };
            cookie?: never;
        };
        /** @description Any body that the device accepts */
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "data": {
                 *         "enabled": "1"
                 *       }
                 *     }
                 */
                "*/*": unknown;
            };
        };
        responses: {
            /** @description The answer of the device */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "success": true,
                     *       "data": {
                     *         "id": "wg0",
                     *         ".type": "interface",
                     *         "enabled": "1"
                     *       }
                     *     }
                     */
                    "*/*": unknown;
                };
            };
        };
    };
}

/** One line or event of the answers that are streams, by operation. */
export interface StreamLines {
  "POST /v1/audit/verify": components["schemas"]["AuditVerifyLine"];
  "POST /v1/audit/export": components["schemas"]["AuditExportLine"];
  "GET /v1/audit/stream": components["schemas"]["AuditLogLine"];
  "GET /v1/devices/export": components["schemas"]["ExportedDevice"];
  "POST /v1/fan-out": components["schemas"]["FanOutLine"];
  "GET /v1/rollouts/{rolloutId}/live": components["schemas"]["RolloutLive"];
  "GET /v1/events": components["schemas"]["Event"];
}
/** The operations that take an Idempotency-Key. */
export const TAKES_IDEMPOTENCY_KEY: ReadonlySet<string> = new Set([
  "POST /v1/secrets/rotation",
  "POST /v1/audit/verify",
  "POST /v1/operators",
  "PUT /v1/roles/{name}",
  "DELETE /v1/roles/{name}",
  "PUT /v1/operators/{operatorId}/roles",
  "DELETE /v1/self/api-keys/{keyId}",
  "DELETE /v1/api-keys/{keyId}",
  "PATCH /v1/operators/{operatorId}",
  "DELETE /v1/operators/{operatorId}/totp",
  "DELETE /v1/self/sessions/{sessionId}",
  "DELETE /v1/sessions/{sessionId}",
  "POST /v1/self/password",
  "POST /v1/self/totp/remove",
  "POST /v1/devices/delete",
  "POST /v1/devices/tags",
  "POST /v1/devices",
  "PATCH /v1/devices/{ref}",
  "DELETE /v1/devices/{ref}",
  "POST /v1/devices/{ref}/replace",
  "PUT /v1/devices/{ref}/credentials",
  "PUT /v1/devices/{ref}/credentials/read",
  "DELETE /v1/devices/{ref}/credentials/read",
  "PUT /v1/devices/{ref}/trust",
  "PUT /v1/selectors/{name}",
  "DELETE /v1/selectors/{name}",
  "PUT /v1/fields/{key}",
  "DELETE /v1/fields/{key}",
  "POST /v1/locks",
  "DELETE /v1/locks/{lockId}",
  "POST /v1/approvals/{approvalId}/approve",
  "POST /v1/approvals/{approvalId}/reject",
  "POST /v1/fan-out",
  "POST /v1/fan-outs",
  "POST /v1/fan-outs/{fanOutId}/retry",
  "POST /v1/devices/{ref}/session/reset",
  "POST /v1/discovery",
  "POST /v1/discovery/{discoveryId}/cancel",
  "POST /v1/discovery/{discoveryId}/accept",
  "DELETE /v1/artifacts/{artifactId}",
  "POST /v1/devices/{ref}/jobs",
  "POST /v1/jobs/{jobId}/cancel",
  "POST /v1/backups/policies",
  "PUT /v1/backups/policies/{policyId}",
  "DELETE /v1/backups/policies/{policyId}",
  "POST /v1/rollouts",
  "POST /v1/rollouts/{rolloutId}/start",
  "POST /v1/rollouts/{rolloutId}/approve",
  "POST /v1/rollouts/{rolloutId}/reject",
  "POST /v1/rollouts/{rolloutId}/pause",
  "POST /v1/rollouts/{rolloutId}/resume",
  "POST /v1/rollouts/{rolloutId}/abort",
  "POST /v1/rollouts/{rolloutId}/retry-failed",
  "POST /v1/rollouts/{rolloutId}/roll-back",
  "POST /v1/rollouts/{rolloutId}/devices/{deviceId}/skip",
  "POST /v1/rollouts/{rolloutId}/waves/{ordinal}/promote",
  "POST /v1/schedules",
  "PUT /v1/schedules/{scheduleId}",
  "DELETE /v1/schedules/{scheduleId}",
  "PUT /v1/webhooks/{webhookId}",
  "DELETE /v1/webhooks/{webhookId}",
  "POST /v1/webhooks/{webhookId}/deliveries/{deliveryId}/replay",
  "POST /v1/sealed-values",
  "DELETE /v1/sealed-values/{valueId}",
]);
