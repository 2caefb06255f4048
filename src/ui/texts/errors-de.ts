import type { ErrorName } from '../../errors/registry.ts';
import type { ErrorText } from './errors-en.ts';

const incorrectSignIn = {
  message: 'Benutzername oder Passwort ist falsch',
  hint: 'Prüfen Sie Benutzername und Passwort auf Tippfehler. Beim Passwort zählt die Groß- und Kleinschreibung.',
};
const ourFault = 'Bei uns ist etwas schiefgegangen';
const tryLater = 'Bitte versuchen Sie es später erneut.';
const reportIt = 'Besteht das Problem weiter, nennen Sie der Administration die Anfrage-ID.';
const passwordLength = 'Ein Passwort hat 8 bis 255 Zeichen.';
const startAgain = 'Beginnen Sie im Programm neu, um einen neuen Code zu erhalten.';

/**
 * The texts that pages show for errors, in German. Errors that only programs get are included for the list of error
 * codes.
 */
export const errorsDe: Record<ErrorName, ErrorText> = {
  PASSWORD_INCORRECT: incorrectSignIn,
  USER_UNKNOWN: incorrectSignIn,
  ACCOUNT_INACTIVE: { message: 'Ihr Konto ist nicht aktiv', hint: 'Bitten Sie die Administration, es zu aktivieren.' },
  NOT_SIGNED_IN: { message: 'Sie sind nicht angemeldet', hint: 'Melden Sie sich an und versuchen Sie es erneut.' },
  LOGIN_FAILED: {
    message: ourFault,
    hint: `Sie sind nicht angemeldet. Versuchen Sie es gleich noch einmal. ${reportIt}`,
  },
  TOKEN_INVALID: {
    message: 'Dieses API-Token ist nicht gültig',
    hint: 'Es ist unbekannt, widerrufen oder abgelaufen, oder sein Benutzer ist nicht aktiv. Legen Sie ein neues an.',
  },
  USER_CODE_UNKNOWN: {
    message: 'Dieser Code ist unbekannt',
    hint: 'Vergleichen Sie ihn mit dem Code, den das Programm oder Gerät anzeigt, und geben Sie ihn noch einmal ein.',
  },
  DEVICE_CODE_UNKNOWN: {
    message: 'Zu diesem Gerätecode gibt es keine Anfrage',
    hint: 'Beginnen Sie die Anmeldung neu.',
  },
  DEVICE_REQUEST_DECIDED: { message: 'Diese Anfrage wurde schon erlaubt oder abgelehnt', hint: startAgain },
  DEVICE_REQUEST_EXPIRED: {
    message: 'Diese Anfrage ist abgelaufen',
    hint: `Ein Code ist 15 Minuten gültig. ${startAgain}`,
  },
  SECOND_STEP_CODE_REQUIRED: {
    message: 'Geben Sie den Code ein',
    hint: 'Er hat sechs Ziffern. Sie können auch einen Wiederherstellungscode verwenden.',
  },
  SECOND_STEP_CODE_MALFORMED: {
    message: 'Das ist kein gültiger Code',
    hint: 'Ein Code aus der Authenticator-App hat sechs Ziffern, ein Wiederherstellungscode zwei Gruppen zu fünf Zeichen.',
  },
  SECOND_STEP_CODE_INCORRECT: {
    message: 'Der Code ist falsch',
    hint: 'Geben Sie den neuesten Code aus der App ein. Wird er wieder abgelehnt, prüfen Sie die Uhrzeit Ihres Geräts.',
  },
  FIRST_STEP_REQUIRED: {
    message: 'Ihre Anmeldung ist nicht mehr gültig',
    hint: 'Melden Sie sich erneut an. Für den Code haben Sie zehn Minuten Zeit und fünf Versuche.',
  },
  SECOND_STEP_MISCONFIGURED: {
    message: 'Ihre Zwei-Faktor-Anmeldung ist nicht richtig eingerichtet',
    hint: 'Bitten Sie die Administration, sie neu einzurichten.',
  },
  TWO_FACTOR_NOT_ON: {
    message: 'Es ist keine Authenticator-App eingerichtet',
    hint: 'Richten Sie zuerst eine Authenticator-App ein.',
  },
  TWO_FACTOR_OFF: {
    message: 'Die Zwei-Faktor-Anmeldung ist ausgeschaltet',
    hint: 'Bitten Sie die Administration, sie für den Dienst einzuschalten.',
  },
  TOTP_NOT_STARTED: {
    message: 'Es wird gerade keine Authenticator-App eingerichtet',
    hint: 'Beginnen Sie die Einrichtung von vorn. Für den Code aus der App haben Sie zehn Minuten Zeit und fünf Versuche.',
  },
  TOTP_CODE_INCORRECT: {
    message: 'Der Code ist falsch',
    hint: 'Geben Sie den neuesten Code aus der App ein. Wird er wieder abgelehnt, prüfen Sie die Uhrzeit Ihres Geräts.',
  },
  SESSION_EXPIRED: { message: 'Ihre Sitzung ist beendet', hint: 'Melden Sie sich erneut an.' },
  SESSION_INVALID: {
    message: 'Ungültige Sitzung',
    hint: 'session_id muss die UUID einer Sitzung sein oder, mit is_encrypt, der Wert des Cookies session_id.',
  },
  NOT_LOGGED_IN: { message: 'Sie sind bereits abgemeldet', hint: 'Es ist nichts mehr zu tun.' },
  LOGOUT_FAILED: {
    message: 'Die Abmeldung ist fehlgeschlagen',
    hint: 'Sie sind noch angemeldet. Versuchen Sie es gleich noch einmal.',
  },
  TERMINATE_FAILED: {
    message: 'Die Sitzungen konnten nicht beendet werden',
    hint: 'Keine Sitzung wurde beendet. Versuchen Sie es erneut; bleibt es dabei, melden Sie die Anfrage-ID.',
  },
  SWITCH_TARGET_INVALID: {
    message: 'Dieses Konto ist nicht verfügbar',
    hint: 'Laden Sie die Seite neu und wählen Sie das Konto noch einmal.',
  },
  ACCOUNT_NOT_ON_DEVICE: {
    message: 'Dieses Konto ist hier nicht angemeldet',
    hint: 'Melden Sie sich zuerst in diesem Browser damit an.',
  },
  SESSION_NOT_FOUND: {
    message: 'Diese Sitzung gibt es nicht',
    hint: 'Vielleicht ist sie schon beendet.',
  },
  APP_NOT_ALLOWED: {
    message: 'Sie dürfen diese Anwendung nicht nutzen',
    hint: 'Bitten Sie die Administration um Zugang oder melden Sie sich mit einem anderen Konto an.',
  },
  SUPERADMIN_REQUIRED: {
    message: 'Diese Seite ist für die Administration',
    hint: 'Melden Sie sich mit einem Konto an, das die Rolle superadmin hat.',
  },
  CSRF_INVALID: {
    message: 'Diese Seite ist veraltet',
    hint: 'Versuchen Sie es erneut. Hilft das nicht, laden Sie die Seite neu und erlauben Sie Cookies für diese Website.',
  },
  DIAGNOSTICS_LOCKED: { message: 'Das Leeren ist ausgeschaltet', hint: 'Setzen Sie dbLogs=true, um es zu erlauben.' },
  CROSS_SITE_REQUEST: {
    message: 'Diese Anfrage kam von einer anderen Website',
    hint: 'Es wurde nichts geändert. Öffnen Sie die Seite hier und versuchen Sie es erneut.',
  },
  MAIN_SECRET_REQUIRED: {
    message: 'Nicht berechtigt',
    hint: 'Senden Sie das Hauptgeheimnis als ganzen Wert der Kopfzeile Authorization.',
  },
  HTTPS_REQUIRED: {
    message: 'Diese Verbindung ist nicht sicher',
    hint: 'Öffnen Sie die Seite unter ihrer https-Adresse.',
  },
  HOST_NOT_ALLOWED: {
    message: 'Dieser Hostname ist nicht erlaubt',
    hint: 'Solange env=dev gesetzt ist, öffnen Sie den Dienst unter localhost oder dem Host von BASE_URL.',
  },
  TOKEN_READ_ONLY: {
    message: 'Dieses API-Token darf nur lesen',
    hint: 'Verwenden Sie für Änderungen ein Token, das schreiben darf.',
  },
  TOKEN_LIMIT_REACHED: {
    message: 'Ihre Höchstzahl an API-Tokens ist erreicht',
    hint: 'Widerrufen Sie ein Token, das Sie nicht mehr brauchen, oder bitten Sie die Administration darum. Versuchen Sie es dann erneut.',
  },
  TOKEN_APPS_NOT_ALLOWED: {
    message: 'Eine dieser Anwendungen dürfen Sie nicht nutzen',
    hint: 'Laden Sie die Seite neu und wählen Sie Anwendungen aus der Liste.',
  },
  MISSING_REQUIRED_FIELD: {
    message: 'Es fehlt eine Angabe',
    hint: 'Ergänzen Sie, was fehlt, und versuchen Sie es erneut.',
  },
  FIELD_INVALID: {
    message: 'Ein Feld hat einen ungültigen Wert',
    hint: 'Prüfen Sie Ihre Eingaben und versuchen Sie es erneut.',
  },
  BODY_INVALID: {
    message: 'Das Formular war nicht lesbar',
    hint: 'Laden Sie die Seite neu und versuchen Sie es erneut.',
  },
  BODY_TOO_LARGE: { message: 'Das Formular ist zu groß', hint: 'Es darf höchstens 64 KiB groß sein.' },
  CONTENT_TYPE_UNSUPPORTED: {
    message: 'Das Formular war nicht lesbar',
    hint: 'Laden Sie die Seite neu und versuchen Sie es erneut.',
  },
  CREDENTIALS_REQUIRED: { message: 'Geben Sie Benutzername und Passwort ein', hint: 'Beides ist erforderlich.' },
  USERNAME_INVALID: { message: 'Das ist kein gültiger Benutzername', hint: 'Ein Benutzername hat 1 bis 255 Zeichen.' },
  PASSWORD_TOO_SHORT: { message: 'Dieses Passwort ist zu kurz', hint: passwordLength },
  PASSWORD_TOO_LONG: { message: 'Dieses Passwort ist zu lang', hint: passwordLength },
  URL_INVALID: { message: 'Diese Adresse ist ungültig', hint: 'Prüfen Sie sie auf Tippfehler.' },
  PASSWORD_TOO_COMMON: {
    message: 'Dieses Passwort ist zu leicht zu erraten',
    hint: 'Wählen Sie ein anderes Passwort. Häufige Passwörter, Ihr Name und der Name der Anwendung sind nicht erlaubt.',
  },
  TOKEN_NAME_INVALID: {
    message: 'Dieser Name ist ungültig',
    hint: 'Ein Name hat 1 bis 255 Zeichen.',
  },
  TOKEN_SCOPE_INVALID: {
    message: 'Diese Berechtigung gibt es nicht',
    hint: 'Wählen Sie eine aus der Liste.',
  },
  EXPIRES_DAYS_INVALID: {
    message: 'Diese Zahl von Tagen ist ungültig',
    hint: 'Geben Sie eine ganze Zahl von 1 bis 3650 ein. Für ein Token zur Verwaltung sind höchstens 30 erlaubt.',
  },
  ALLOWED_APPS_INVALID: {
    message: 'Diese Anwendungen lassen sich nicht wählen',
    hint: 'Wählen Sie höchstens 100 Anwendungen. Für ein Token zur Verwaltung wählen Sie keine.',
  },
  TOKEN_FORMAT_INVALID: {
    message: 'Das ist kein API-Token',
    hint: 'Ein Token ist tok_, gefolgt von 64 Hexadezimalziffern in Kleinbuchstaben.',
  },
  ID_INVALID: {
    message: 'Ungültige ID',
    hint: 'Eine ID ist eine ganze Zahl größer als 0.',
  },
  CLIENT_NAME_INVALID: {
    message: 'Ungültiger Name des Programms',
    hint: 'clientName hat 1 bis 255 Zeichen.',
  },
  PROFILE_REQUIRED: {
    message: 'Ein Profil ist erforderlich',
    hint: 'Senden Sie den Schlüssel eines Profils als profileKey.',
  },
  PROFILE_UNKNOWN: {
    message: 'Dieses Profil gibt es nicht',
    hint: 'Prüfen Sie den Schlüssel auf Tippfehler, oder fragen Sie die Administration, ob das Profil abgeschaltet wurde.',
  },
  USER_CODE_INVALID: {
    message: 'Das ist kein gültiger Code',
    hint: 'Geben Sie den Code ein, den das Programm oder Gerät anzeigt, etwa BCDF-GHJK.',
  },
  DEVICE_ACTION_INVALID: {
    message: 'Diese Auswahl ist unbekannt',
    hint: 'Laden Sie die Seite neu und erlauben Sie die Anfrage oder lehnen Sie sie ab.',
  },
  DEVICE_CODE_INVALID: {
    message: 'Ungültiger Gerätecode',
    hint: 'device_code sind die 48 Hexadezimalziffern in Kleinbuchstaben aus der Antwort auf POST /api/cli/device.',
  },
  REQUEST_MALFORMED: {
    message: 'Die Anfrage ist kein gültiges HTTP',
    hint: 'Senden Sie die Anfrage mit einer HTTP-Bibliothek. HTTP/1.1 verlangt genau eine Kopfzeile Host mit einem gültigen Host.',
  },
  HEADERS_TOO_LARGE: {
    message: 'Ihr Browser hat zu viele Daten gesendet',
    hint: 'Löschen Sie die Cookies dieser Website und versuchen Sie es erneut.',
  },
  PASSKEY_REFUSED: {
    message: 'Ihr Passkey wurde nicht angenommen',
    hint: 'Versuchen Sie es erneut. Gelingt es wieder nicht, melden Sie sich auf andere Weise an.',
  },
  PASSKEY_INVALID: { message: 'Der Passkey konnte nicht hinzugefügt werden', hint: 'Beginnen Sie von vorn.' },
  PASSKEY_TAKEN: { message: 'Dieser Passkey wird schon verwendet', hint: 'Erstellen Sie einen neuen.' },
  ADDRESS_NOT_ALLOWED: {
    message: 'Diese Adresse darf nicht aufgerufen werden',
    hint: 'Verwenden Sie https und eine öffentliche Adresse. Adressen privater Netze sind nur mit WEBHOOK_PRIVATE_NETWORKS=on erlaubt.',
  },
  WEBHOOK_NOT_FOUND: {
    message: 'Diesen Webhook gibt es nicht',
    hint: 'Prüfen Sie die Kennung auf Tippfehler. Vielleicht ist er schon entfernt.',
  },
  DELIVERY_NOT_FOUND: {
    message: 'Diese Zustellung lässt sich nicht wiederholen',
    hint: 'Nur wartende und fehlgeschlagene Zustellungen lassen sich wiederholen.',
  },
  LIMIT_REACHED: { message: 'Die Höchstzahl ist erreicht', hint: 'Entfernen Sie zuerst einen Eintrag.' },
  SECOND_FACTOR_REQUIRED: {
    message: 'Für Ihr Konto ist die Zwei-Faktor-Anmeldung Pflicht',
    hint: 'Sie können sie nicht ausschalten, aber die Authenticator-App durch eine andere ersetzen.',
  },
  LINK_INVALID: {
    message: 'Dieser Link ist ungültig',
    hint: 'Er wurde schon verwendet, ist abgelaufen oder gilt aus einem anderen Grund nicht mehr. Fordern Sie einen neuen Link an.',
  },
  MAIL_OFF: {
    message: 'E-Mail ist nicht eingerichtet',
    hint: 'Setzen Sie SMTP_URL und MAIL_FROM, um E-Mails zu senden.',
  },
  EMAIL_MISSING: {
    message: 'Der Benutzer hat keine E-Mail-Adresse',
    hint: 'Geben Sie dem Benutzer zuerst eine Adresse.',
  },
  USER_HAS_WAY_IN: {
    message: 'Der Benutzer kann sich schon anmelden',
    hint: 'Eine Einladung ist für Benutzer ohne Passwort und ohne anderen Weg zur Anmeldung. Erstellen Sie stattdessen einen Link zum Zurücksetzen.',
  },
  EMAIL_INVALID: {
    message: 'Diese E-Mail-Adresse ist ungültig',
    hint: 'Eine Adresse sieht aus wie ada@example.com und hat höchstens 254 Zeichen.',
  },
  REQUEST_TOO_SLOW: {
    message: 'Die Anfrage hat zu lange gedauert',
    hint: 'Prüfen Sie Ihre Verbindung und versuchen Sie es erneut.',
  },
  TOO_MANY_LOGINS: { message: 'Zu viele Versuche', hint: tryLater },
  TOO_MANY_LOGOUTS: { message: 'Zu viele Abmeldeversuche', hint: tryLater },
  TOO_MANY_CODES: { message: 'Zu viele Codes', hint: tryLater },
  TOO_MANY_REQUESTS: { message: 'Zu viele Anfragen', hint: tryLater },
  INTERNAL_ERROR: { message: ourFault, hint: `Versuchen Sie es gleich noch einmal. ${reportIt}` },
  NOT_FOUND: { message: 'Seite nicht gefunden', hint: 'Prüfen Sie die Adresse auf Tippfehler.' },
  METHOD_NOT_ALLOWED: { message: 'Diese Adresse ist für Programme', hint: 'Im Browser lässt sie sich nicht öffnen.' },
  OVERLOADED: { message: 'Der Dienst ist gerade ausgelastet', hint: tryLater },
  SOCIAL_START_UNKNOWN: {
    message: 'Diese Anmeldung kann in diesem Browser nicht fortgesetzt werden',
    hint: 'Sie wurde in einem anderen Browser oder vor mehr als zehn Minuten begonnen, sie wurde schon abgelehnt, oder Ihr Browser speichert für diese Website keine Cookies. Melden Sie sich erneut an.',
  },
  SOCIAL_START_USED: {
    message: 'Diese Anmeldung ist bereits abgeschlossen',
    hint: 'Machen Sie in der Anwendung weiter oder melden Sie sich erneut an.',
  },
  PROVIDER_OFF: {
    message: 'Die Anmeldung über diesen Anbieter ist ausgeschaltet',
    hint: 'Melden Sie sich mit Benutzername und Passwort oder über einen anderen Anbieter an.',
  },
  PROVIDER_MISCONFIGURED: {
    message: 'Die Anmeldung über diesen Anbieter ist nicht richtig eingerichtet',
    hint: 'Melden Sie sich mit Benutzername und Passwort an und sagen Sie der Administration Bescheid. Das Protokoll des Dienstes nennt den Grund.',
  },
  PROVIDER_CANCELLED: {
    message: 'Sie haben die Anmeldung beim Anbieter abgebrochen',
    hint: 'Sie können neu beginnen oder sich mit Benutzername und Passwort anmelden.',
  },
  PROVIDER_ACCOUNT_NOT_LINKED: {
    message: 'Dieses Anbieterkonto ist hier mit keinem Konto verknüpft',
    hint: 'Melden Sie sich auf andere Weise an und verknüpfen Sie das Anbieterkonto in Ihrem Konto unter „Verknüpfungen“, oder bitten Sie die Administration darum.',
  },
  PROVIDER_CODE_INVALID: {
    message: 'Die Bestätigung des Anbieters ist nicht mehr gültig',
    hint: 'Sie ist abgelaufen oder wurde schon verwendet. Melden Sie sich erneut an.',
  },
  PROVIDER_PROOF_INVALID: {
    message: 'Der Anbieter hat nicht bewiesen, wer Sie sind',
    hint: `Sie sind nicht angemeldet, weil sich seine Antwort nicht prüfen ließ. Melden Sie sich erneut an. ${reportIt}`,
  },
  PROVIDER_ANSWER_INVALID: {
    message: 'Die Antwort des Anbieters war nicht verständlich',
    hint: `Melden Sie sich mit Benutzername und Passwort an oder versuchen Sie es später erneut. ${reportIt}`,
  },
  PROVIDER_UNREACHABLE: {
    message: 'Der Anbieter ist nicht erreichbar',
    hint: 'Melden Sie sich mit Benutzername und Passwort an oder versuchen Sie es in einer Minute erneut.',
  },
  CONNECTION_TAKEN: {
    message: 'Dieses Konto beim Anbieter ist mit einem anderen Benutzer verknüpft',
    hint: 'Melden Sie sich beim Anbieter mit einem anderen Konto an oder fragen Sie die Administration.',
  },
  OIDC_CLIENT_UNKNOWN: {
    message: 'Diese Anwendung ist unbekannt',
    hint: 'Sie ist hier nicht registriert oder deaktiviert. Wenden Sie sich an die Administration der Anwendung.',
  },
  OIDC_REDIRECT_URI_INVALID: {
    message: 'Die Anwendung ist nicht richtig eingerichtet',
    hint: 'Sie hat eine Rücksprungadresse genannt, die für sie nicht registriert ist. Wenden Sie sich an ihre Administration.',
  },
  OIDC_REQUEST_INVALID: {
    message: 'Die Anfrage der Anwendung ist ungültig',
    hint: 'Gehen Sie zur Anwendung zurück und melden Sie sich dort noch einmal an.',
  },
  OIDC_REQUEST_EXPIRED: {
    message: 'Diese Anmeldung ist abgelaufen',
    hint: 'Gehen Sie zur Anwendung zurück und melden Sie sich dort noch einmal an.',
  },
  OIDC_TOKEN_INVALID: {
    message: 'Das Zugriffstoken ist ungültig oder abgelaufen',
    hint: 'Melden Sie sich in der Anwendung erneut an.',
  },
  OIDC_SCOPE_MISSING: {
    message: 'Dem Zugriffstoken fehlt der Scope openid',
    hint: 'Die Anwendung hat den Scope openid nicht angefordert.',
  },
  OIDC_LOGOUT_INVALID: {
    message: 'Die Anfrage zur Abmeldung ist ungültig',
    hint: 'Die Anwendung hat ein ID-Token oder eine Adresse genannt, die nicht zu ihr gehört. Sie sind weiterhin angemeldet.',
  },
  CONNECTION_EXISTS: {
    message: 'Mit diesem Anbieter besteht schon eine Verknüpfung',
    hint: 'Entfernen Sie zuerst diese Verknüpfung.',
  },
  TOKEN_NOT_FOUND: {
    message: 'Dieses API-Token gibt es nicht',
    hint: 'Vielleicht ist es schon widerrufen, oder es gehört einem anderen Benutzer.',
  },
  USER_NOT_FOUND: { message: 'Diesen Benutzer gibt es nicht', hint: 'Prüfen Sie den Namen auf Tippfehler.' },
  USERNAME_TAKEN: {
    message: 'Der Benutzername ist vergeben',
    hint: 'Wählen Sie einen anderen. Groß- und Kleinschreibung macht keinen Unterschied.',
  },
  PROFILE_NOT_FOUND: {
    message: 'Dieses Profil gibt es nicht',
    hint: 'Prüfen Sie den Schlüssel auf Tippfehler.',
  },
  PROFILE_KEY_TAKEN: {
    message: 'Der Schlüssel des Profils ist vergeben',
    hint: 'Wählen Sie einen anderen oder lassen Sie ihn weg.',
  },
  REF_UNKNOWN: {
    message: 'Diesen Eintrag gibt es nicht',
    hint: 'Vielleicht wurde es schon entfernt. Laden Sie die Seite neu.',
  },
  APP_UNKNOWN: {
    message: 'Diese Anwendung gibt es nicht',
    hint: 'Es ist keine Anwendung mit diesem Schlüssel registriert, oder sie ist deaktiviert.',
  },
  APPLICATION_NOT_FOUND: {
    message: 'Diese Anwendung gibt es nicht',
    hint: 'Prüfen Sie den Schlüssel auf Tippfehler.',
  },
  APPLICATION_KEY_TAKEN: {
    message: 'Der Schlüssel der Anwendung ist vergeben',
    hint: 'Wählen Sie einen anderen.',
  },
  APPLICATION_PUBLIC: {
    message: 'Diese Anwendung hat kein Geheimnis',
    hint: 'Richten Sie sie zuerst als Anwendung mit Geheimnis ein.',
  },
  CHANGED_MEANWHILE: {
    message: 'Der Eintrag wurde inzwischen geändert',
    hint: 'Laden Sie den aktuellen Stand und versuchen Sie es dann noch einmal.',
  },
  LAST_SUPERADMIN: {
    message: 'Dies ist der letzte aktive Superadmin',
    hint: 'Machen Sie zuerst eine andere Person zum Superadmin.',
  },
  CURSOR_INVALID: {
    message: 'Diese Seite der Liste gibt es nicht',
    hint: 'Beginnen Sie die Liste von vorn.',
  },
  TOKEN_SCOPE_REQUIRED: {
    message: 'Die Berechtigung des Tokens erlaubt das nicht',
    hint: 'Verwenden Sie die Sitzung eines Superadmins.',
  },
  ROLE_NOT_ALLOWED: {
    message: 'Ihre Rolle hat keinen Zugang zu diesem Teil der Anwendung',
    hint: 'Bitten Sie die Administration um Zugang oder melden Sie sich mit einem anderen Konto an.',
  },
  APP_CREDENTIALS_INVALID: {
    message: 'Diese Adresse ist für Anwendungen',
    hint: 'Öffnen Sie die Anwendung, die Sie nutzen möchten.',
  },
  APP_THIRD_PARTY: {
    message: 'Die Anwendung gehört einem Dritten',
    hint: 'Anwendungen Dritter dürfen nicht abfragen, wer angemeldet ist.',
  },
  PROXY_NOT_TRUSTED: {
    message: 'Dem Proxy, der die Anfrage gesendet hat, wird nicht vertraut',
    hint: 'Tragen Sie die Adresse des Proxys in TRUST_PROXY ein.',
  },
  SESSION_REQUIRED: {
    message: 'Das geht nur in einem Browser, in dem Sie angemeldet sind',
    hint: 'Verwenden Sie Ihren Browser, ohne Token.',
  },
  CONFIRMATION_REQUIRED: {
    message: 'Bestätigen Sie, dass Sie es sind',
    hint: 'Bestätigen Sie auf einem der genannten Wege und versuchen Sie es dann erneut. Eine Bestätigung gilt zehn Minuten.',
  },
  CONFIRMATION_FAILED: {
    message: 'Die Bestätigung ist fehlgeschlagen',
    hint: 'Das Passwort oder der Code ist falsch, der Code wurde schon verwendet, oder der Passkey wurde nicht angenommen.',
  },
  CURRENT_PASSWORD_INCORRECT: {
    message: 'Das aktuelle Passwort ist falsch',
    hint: 'Prüfen Sie es auf Tippfehler. Beim Passwort zählt die Groß- und Kleinschreibung.',
  },
  PASSWORD_UNCHANGED: {
    message: 'Das ist Ihr aktuelles Passwort',
    hint: 'Wählen Sie ein anderes Passwort.',
  },
  LAST_WAY_IN: {
    message: 'Das ist Ihre letzte Anmeldemöglichkeit',
    hint: 'Setzen Sie zuerst ein Passwort oder richten Sie eine andere Anmeldemöglichkeit ein.',
  },
  PROFILE_LOCKED: {
    message: 'Sie können Ihr Profil nicht ändern',
    hint: 'Bitten Sie die Administration um die Änderung.',
  },
  ORIGINAL_REQUEST_INVALID: {
    message: 'Der Proxy hat die ursprüngliche Anfrage nicht beschrieben',
    hint: 'Vergleichen Sie die Konfiguration des Proxys mit der Dokumentation.',
  },
};
